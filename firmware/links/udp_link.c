#include "udp_link.h"

#include <stddef.h>
#include <string.h>

#include "byte_ring.h"
#include "udp.h"

#define HEADER_BYTES 8u

static uint8_t tx_bytes[BYTE_RING_SIZE(TT_LINK_LEAST_BYTES)];
_Static_assert(sizeof tx_bytes >= TT_LINK_LEAST_BYTES, "a buffer fits");
static uint8_t rx_bytes[1024];
static byte_ring_t tx = BYTE_RING_INIT(tx_bytes);
static byte_ring_t rx = BYTE_RING_INIT(rx_bytes);
static ipv4_socket_t *socket; /* NULL: not open */
static uint32_t next_datagram;

/* A command from the host. What does not fit is lost; the frame's CRC will tell. */
static void receive(const uint8_t *bytes, uint32_t count)
{
    (void)byte_ring_write(&rx, bytes, count);
}

static void put_u32(uint8_t *at, uint32_t value)
{
    for (uint32_t i = 0; i < 4u; i++) {
        at[i] = (uint8_t)(value >> (8u * i));
    }
}

/* Send a datagram of what waits, also an empty one. False when the network takes nothing now. */
static bool send_datagram(void)
{
    uint8_t *payload = ipv4_payload(socket);
    if (payload == NULL) {
        return false;
    }
    put_u32(payload, TT_UDP_MAGIC);
    put_u32(payload + 4, next_datagram++);
    uint32_t count = byte_ring_read(&tx, payload + HEADER_BYTES, TT_UDP_MOST_BYTES);
    ipv4_send(socket, HEADER_BYTES + count);
    return true;
}

static void pump(void)
{
    ipv4_poll(socket->host);
    while (byte_ring_used(&tx) > 0u && send_datagram()) {
    }
}

static uint32_t room_bytes(void *context)
{
    (void)context;
    pump();
    return byte_ring_free(&tx);
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)byte_ring_write(&tx, bytes, count);
}

static uint32_t get(void *context, uint8_t *bytes, uint32_t count)
{
    (void)context;
    if (byte_ring_used(&rx) == 0u) {
        ipv4_poll(socket->host);
    }
    return byte_ring_read(&rx, bytes, count);
}

const tt_link_t *udp_link_open(ipv4_host_t *host, ipv4_socket_t *new_socket)
{
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put, .get = get};
    socket = new_socket;
    socket->receive = receive;
    ipv4_open(host, socket);
    return &link;
}

bool udp_link_sent(void)
{
    pump();
    return byte_ring_used(&tx) == 0u;
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
