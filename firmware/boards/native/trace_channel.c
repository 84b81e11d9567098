/*
 * Trace link over a native channel, with a ring of bytes before it.
 *
 * In real time the link never blocks: if the host does not read, the ring fills up, room_bytes()
 * returns 0, and the recorder loses records according to its policy, as on a board. With the
 * virtual clock the time stops while the link waits for the host, so a slow host changes nothing
 * and a run can be repeated exactly.
 */
#include "trace_channel.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "board.h"
#include "channel.h"
#include "native.h"
#include "ring_link.h"

#define USUAL_BYTES 65536u
static uint8_t tx_bytes[USUAL_BYTES];
_Static_assert(sizeof tx_bytes >= TT_LINK_LEAST_BYTES, "a frame fits");
static bool pump(void);
static uint32_t get(void *context, uint8_t *bytes, uint32_t count);
static ring_link_t ring = {RING_LINK_INIT(ring, tx_bytes, get), .pump = pump};
static uint8_t chunk[4096]; /* bytes taken from the ring: chunk_sent of chunk_count are written */
static uint32_t chunk_count;
static uint32_t chunk_sent;
static native_channel_t channel = {.fd = -1, .slave_fd = -1};

void trace_channel_open(const char *link)
{
    if (link == NULL) {
        return;
    }
    const char *problem = native_channel_open(&channel, link);
    if (problem != NULL) {
        (void)fprintf(stderr, "%s\n", problem);
        exit(BOARD_EXIT_LINK);
    }
    (void)signal(SIGPIPE, SIG_IGN);
}

/* Write some bytes of the chunk. Return false if the channel accepts none now. Ends the program if
 * the channel fails. */
static bool write_chunk(void)
{
    ssize_t count = native_channel_write(&channel, chunk + chunk_sent, chunk_count - chunk_sent);
    if (count >= 0) {
        chunk_sent += (uint32_t)count;
        return true;
    }
    if (errno == EAGAIN || errno == EINTR) {
        return false;
    }
    perror("the trace link is gone");
    channel.fd = -1;
    board_exit(BOARD_EXIT_LINK);
}

/* Send the waiting bytes until the channel accepts no more, or with `wait` until all are sent. */
static void send(bool wait)
{
    while (chunk_sent < chunk_count || byte_ring_used(&ring.tx) > 0u) {
        if (chunk_sent == chunk_count) {
            chunk_count = byte_ring_read(&ring.tx, chunk, sizeof chunk);
            chunk_sent = 0;
        }
        if (channel.fd < 0) {
            chunk_sent = chunk_count;
        } else if (!write_chunk()) {
            if (!wait) {
                return;
            }
            struct pollfd ready = {.fd = channel.fd, .events = POLLOUT};
            (void)poll(&ready, 1, -1);
        }
    }
}

void trace_channel_close(void)
{
    send(true);
    native_channel_close(&channel);
}

static bool pump(void)
{
    send(!native_is_real_time());
    return true;
}

static uint32_t get(void *context, uint8_t *bytes, uint32_t count)
{
    (void)context;
    ssize_t taken = channel.fd >= 0 ? native_channel_read(&channel, bytes, count) : 0;
    return taken > 0 ? (uint32_t)taken : 0u;
}

const tt_link_t *board_trace_link(void)
{
    return &ring.link;
}

bool board_trace_sent(void)
{
    send(!native_is_real_time());
    return chunk_sent == chunk_count && byte_ring_used(&ring.tx) == 0u;
}
