#include "udp_link.h"

#include <stddef.h>
#include <string.h>

#include "ring_link.h"
#include "udp.h"

#define HEADER_BYTES 8u

/* Room for several datagrams. */
static uint8_t tx_bytes[8192];
_Static_assert(sizeof tx_bytes >= TT_LINK_LEAST_BYTES, "a frame fits");
static uint8_t rx_bytes[1024];
static bool pump(void);
static void poll(void);
static ring_link_t ring = {RING_LINK_INIT(ring, tx_bytes, ring_link_get),
                           .rx = BYTE_RING_INIT(rx_bytes), .pump = pump, .receive = poll};
static ipv4_socket_t *socket; /* NULL: not open */
static uint32_t next_datagram;

/* Receive bytes of commands from the host. Bytes that do not fit are lost; the CRC of the frame
 * detects it. */
static void receive(const uint8_t *bytes, uint32_t count)
{
    (void)byte_ring_write(&ring.rx, bytes, count);
}

static void put_u32(uint8_t *at, uint32_t value)
{
    for (uint32_t i = 0; i < 4u; i++) {
        at[i] = (uint8_t)(value >> (8u * i));
    }
}

/* Send waiting bytes in one datagram, which may be empty. Returns false when the network accepts
 * nothing now. */
static bool send_datagram(void)
{
    uint8_t *payload = ipv4_payload(socket);
    if (payload == NULL) {
        return false;
    }
    put_u32(payload, TT_UDP_MAGIC);
    put_u32(payload + 4, next_datagram++);
    uint32_t count = byte_ring_read(&ring.tx, payload + HEADER_BYTES, TT_UDP_MOST_BYTES);
    ipv4_send(socket, HEADER_BYTES + count);
    return true;
}

static bool pump(void)
{
    ipv4_poll(socket->host);
    while (byte_ring_used(&ring.tx) > 0u && send_datagram()) {
    }
    return true;
}

static void poll(void)
{
    if (byte_ring_used(&ring.rx) == 0u) {
        ipv4_poll(socket->host);
    }
}

const tt_link_t *udp_link_open(ipv4_host_t *host, ipv4_socket_t *new_socket)
{
    socket = new_socket;
    socket->receive = receive;
    ipv4_open(host, socket);
    return &ring.link;
}

bool udp_link_sent(void)
{
    (void)pump();
    return byte_ring_used(&ring.tx) == 0u;
}

void udp_link_close(void)
{
    if (socket != NULL) {
        (void)udp_link_sent();
        (void)send_datagram();
        ipv4_close(socket);
        socket = NULL;
    }
}
