/* UDP sockets of this machine, for applications. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "board.h"

const uint8_t board_host_address[4] = {127, 0, 0, 1};

static struct sockaddr_in place_of(const uint8_t *address, uint16_t port)
{
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(port)};
    if (address != NULL) {
        memcpy(&place.sin_addr, address, 4);
    }
    return place;
}

/* Returns the file descriptor + 1, so that it is not NULL. */
void *board_udp_open(uint16_t local_port, const uint8_t address[4], uint16_t port)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const struct sockaddr_in local = place_of(NULL, local_port);
    const struct sockaddr_in peer = place_of(address, port);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&local, sizeof local) != 0 ||
        connect(fd, (const struct sockaddr *)&peer, sizeof peer) != 0) {
        perror("no socket for datagrams");
        if (fd >= 0) {
            (void)close(fd);
        }
        return NULL;
    }
    return (void *)(intptr_t)(fd + 1);
}

void board_udp_send(void *socket, const void *bytes, uint32_t count)
{
    (void)send((int)(intptr_t)socket - 1, bytes, count, 0); /* with or without a receiver */
}

void board_udp_close(void *socket)
{
    (void)close((int)(intptr_t)socket - 1);
}
