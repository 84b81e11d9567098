/*
 * Link over UDP: numbered datagrams (links/udp.h) to one address, and commands from that address as
 * plain bytes. Bytes that the network does not accept now wait in a ring. When that is full the
 * recorder drops records and counts them.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <zephyr/net/socket.h>

#include "links.h"
#include "spool.h"
#include "udp.h"

static bool is_open(void);
static void send_whole(void);
static uint32_t get(void *context, uint8_t *bytes, uint32_t count);
SPOOL_DEFINE(spool, get, .pump = is_open, .send = send_whole);

static struct {
    uint32_t magic;
    uint32_t number;
    uint8_t bytes[TT_UDP_MOST_BYTES];
} datagram = {.magic = TT_UDP_MAGIC};

#define HEADER_BYTES offsetof(__typeof__(datagram), bytes)

/* The host sends a command in one datagram, and bytes of a datagram that do not fit here are
 * lost. */
#define RECEIVED_BYTES 512u
BUILD_ASSERT(RECEIVED_BYTES >=
                 TT_FRAME_BYTES(sizeof(tt_wire_command_t) + TT_LIMIT_MAX_COMMAND_PAYLOAD_BYTES),
             "the longest command has to fit");

static int sock = -1;
static uint32_t waiting_bytes; /* of a datagram not sent yet */

static bool is_open(void)
{
    return sock >= 0;
}

/* Send datagrams while at least `least_bytes` bytes wait and the network accepts them. */
static void send_all(uint32_t least_bytes)
{
    while (waiting_bytes != 0u || byte_ring_used(&spool.tx) >= least_bytes) {
        if (waiting_bytes == 0u) {
            waiting_bytes = byte_ring_read(&spool.tx, datagram.bytes, sizeof datagram.bytes);
        }
        if (zsock_send(sock, &datagram, HEADER_BYTES + waiting_bytes, ZSOCK_MSG_DONTWAIT) < 0) {
            return; /* no buffer or address yet: retry in the next period */
        }
        datagram.number++;
        waiting_bytes = 0;
    }
}

static void send_whole(void)
{
    send_all(sizeof datagram.bytes);
}

static uint32_t get(void *context, uint8_t *bytes, uint32_t count)
{
    static uint8_t received[RECEIVED_BYTES];
    static uint32_t received_bytes;
    static uint32_t next;
    (void)context;
    if (next == received_bytes) {
        ssize_t length = zsock_recv(sock, received, sizeof received, ZSOCK_MSG_DONTWAIT);
        received_bytes = length > 0 ? (uint32_t)length : 0u;
        next = 0;
    }
    uint32_t taken = MIN(count, received_bytes - next);
    memcpy(bytes, received + next, taken);
    next += taken;
    return taken;
}

const tt_link_t *tt_zephyr_link(void)
{
    return &spool.link;
}

int tt_zephyr_link_open(void)
{
    struct sockaddr_in host = {.sin_family = AF_INET,
                               .sin_port = htons(CONFIG_TICKERTAPE_UDP_PORT)};
    if (zsock_inet_pton(AF_INET, CONFIG_TICKERTAPE_UDP_HOST, &host.sin_addr) != 1) {
        return -EINVAL;
    }
    int opened = zsock_socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP);
    if (opened < 0 || zsock_connect(opened, (struct sockaddr *)&host, sizeof host) != 0) {
        return -errno;
    }
    sock = opened;
    return 0;
}

void tt_zephyr_link_flush(void)
{
    send_all(1u);
}

bool tt_zephyr_link_sent(void)
{
    return waiting_bytes == 0u && byte_ring_used(&spool.tx) == 0u;
}
