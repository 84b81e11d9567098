#ifndef STUB_SOCKET_H
#define STUB_SOCKET_H
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define AF_INET            1
#define SOCK_DGRAM         2
#define IPPROTO_UDP        17
#define ZSOCK_MSG_DONTWAIT 0x40

struct in_addr {
    uint32_t s_addr;
};
struct sockaddr {
    uint16_t sa_family;
    char data[14];
};
struct sockaddr_in {
    uint16_t sin_family;
    uint16_t sin_port;
    struct in_addr sin_addr;
};
static inline uint16_t htons(uint16_t word)
{
    return (uint16_t)((uint32_t)word << 8 | (uint32_t)word >> 8);
}
int zsock_socket(int family, int type, int protocol);
int zsock_connect(int sock, const struct sockaddr *address, size_t bytes);
ssize_t zsock_send(int sock, const void *bytes, size_t count, int flags);
ssize_t zsock_recv(int sock, void *bytes, size_t count, int flags);
int zsock_inet_pton(int family, const char *text, void *address);
#endif
