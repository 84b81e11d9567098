/* The network and its sockets. All functions run in the drain, or before the kernel runs. */
#include "network.h"

#include <stddef.h>
#include <string.h>

#include "board.h"
#include "lan9118.h"

#define SOCKETS_MAX      8u
#define FIRST_LOCAL_PORT 49152u /* first dynamic port (RFC 6335) */

const uint8_t board_host_address[4] = BOARD_NET_HOST;

ipv4_host_t *network_host(void)
{
    static ipv4_host_t host = {
        .address = BOARD_NET_ADDRESS,
        .gateway = BOARD_NET_GATEWAY,
        .prefix_bits = BOARD_NET_PREFIX_BITS,
    };
    if (host.device == NULL) {
        host.device = lan9118_start();
    }
    return host.device == NULL ? NULL : &host;
}

void *board_udp_open(uint16_t local_port, const uint8_t address[4], uint16_t port)
{
    static ipv4_socket_t sockets[SOCKETS_MAX];
    static uint32_t count;
    ipv4_host_t *host = network_host();
    if (host == NULL || count == SOCKETS_MAX) {
        return NULL;
    }
    ipv4_socket_t *socket = &sockets[count];
    socket->local_port = local_port != 0u ? local_port : (uint16_t)(FIRST_LOCAL_PORT + count);
    socket->peer_port = port;
    memcpy(socket->peer, address, sizeof socket->peer);
    ipv4_open(host, socket);
    count++;
    return socket;
}

void board_udp_send(void *socket, const void *bytes, uint32_t count)
{
    ipv4_socket_t *self = socket;
    ipv4_poll(self->host);
    uint8_t *payload = ipv4_payload(self);
    if (payload != NULL && count <= IPV4_UDP_MOST_BYTES) {
        memcpy(payload, bytes, count);
        ipv4_send(self, count);
    }
}

void board_udp_close(void *socket)
{
    ipv4_close(socket);
}
