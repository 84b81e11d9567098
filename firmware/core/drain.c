/*
 * The drain sends one frame per step, in this order: requested announcements, periodic ones within
 * their share of the link, full buffers, buffers past their high-water mark, the remaining
 * announcements, and after the end the last STATUS. The reply to a command precedes them
 * (command.c). One thread runs all of it.
 */
#include "drain.h"

#include <stddef.h>
#include <string.h>

#include "announce.h"
#include "outlet.h"
#include "ring_read.h"
#include "send.h"
#include "target.h"

/* While records wait, announcements get SHARE / 256 of the bytes that records get: less than a
 * tenth, and enough for the counters of 8 rings every 10 s at 9600 baud. An unused share
 * accumulates up to SHARE_MAX_BYTES. */
#define SHARE           22u
#define SHARE_MAX_BYTES 512

static struct {
    int32_t share_bytes; /* that announcements may use; negative after a long one */
    uint32_t next_ring;  /* rings take turns */
    struct {
        tt_tap_t tap;
        void *context;
    } taps[TT_CONFIG_STREAMS];
} drain;

void tt_drain_reset(void)
{
    memset(&drain, 0, sizeof drain);
}

void tt_drain_announce(void)
{
    tt_announce_ask(TT_ANNOUNCE_PERIODIC);
}

/* Send a requested announcement, or a periodic one within its share of the link. */
static bool announce_in_share(void)
{
    if (tt_announce_step(true, true)) {
        return true;
    }
    uint32_t before = tt_outlet_sent_bytes();
    bool sent = drain.share_bytes > 0 && tt_announce_step(false, false);
    drain.share_bytes -= (int32_t)(tt_outlet_sent_bytes() - before);
    return sent;
}

/* Send an announcement while no buffer waits and the link has room for one. */
static bool announce_in_spare_room(void)
{
    return tt_send_buffer_room() && tt_announce_step(false, true);
}

/* Close a buffer past its high-water mark, or that was open when the stream stopped. */
static void close_waiting(tt_ring_t *ring)
{
    bool stopped = !tt_is_set(&tt_ring_stream(ring)->running) && !tt_ring_empty(ring);
    if (stopped || tt_is_set(&ring->wants_drain)) {
        tt_ring_flush(ring);
    }
}

/* Send the oldest buffer of one ring; false when it has none. */
static bool send_buffer_of(uint32_t index)
{
    tt_ring_t *ring = tt_ring_at(index);
    tt_buffer_t *buffer = tt_ring_take_alone(ring);
    if (buffer == NULL) {
        close_waiting(ring);
        buffer = tt_ring_take_alone(ring);
    }
    if (buffer == NULL) {
        return false;
    }
    uint32_t stream = index / TT_CONFIG_CPUS;
    if (drain.taps[stream].tap != NULL) {
        const tt_tapped_t tapped = {
            .cpu = index % TT_CONFIG_CPUS,
            .loss_before = buffer->first_ordinal != ring->settled.ordinal,
            .ticks = buffer->ticks,
            .records = tt_ring_records(ring, buffer),
            .count = buffer->count,
        };
        drain.taps[stream].tap(drain.taps[stream].context, &tapped);
    }
    uint32_t before = tt_outlet_sent_bytes();
    tt_send_buffer(index, buffer);
    int32_t share = drain.share_bytes + (int32_t)((tt_outlet_sent_bytes() - before) * SHARE / 256u);
    drain.share_bytes = share < SHARE_MAX_BYTES ? share : SHARE_MAX_BYTES;
    tt_ring_release(ring, buffer);
    return true;
}

static bool is_held(uint32_t index)
{
    return tt_is_set(&tt_streams[index / TT_CONFIG_CPUS].held);
}

static bool send_any_buffer(void)
{
    if (!tt_send_buffer_room()) {
        return false;
    }
    for (uint32_t turn = 0; turn < TT_RING_COUNT; turn++) {
        uint32_t index = (drain.next_ring + turn) % TT_RING_COUNT;
        if (!is_held(index) && send_buffer_of(index)) {
            drain.next_ring = index + 1u;
            return true;
        }
    }
    return false;
}

bool tt_drain_stream(uint32_t stream)
{
    if (stream >= TT_CONFIG_STREAMS || !tt_send_buffer_room()) {
        return false;
    }
    for (uint32_t cpu = 0; cpu < TT_CONFIG_CPUS; cpu++) {
        if (send_buffer_of(stream * TT_CONFIG_CPUS + cpu)) {
            return true;
        }
    }
    return false;
}

int tt_set_tap(uint32_t stream, tt_tap_t tap, void *context)
{
    if (stream >= TT_CONFIG_STREAMS) {
        return TT_ERROR_ARGUMENT;
    }
    drain.taps[stream].context = context;
    drain.taps[stream].tap = tap;
    return TT_OK;
}

static bool send_final_status(void)
{
    for (uint32_t index = 0; index < TT_RING_COUNT; index++) {
        tt_ring_t *ring = tt_ring_at(index);
        uint32_t start = tt_load(&tt_ring_stream(ring)->starts);
        if (ring->final_of_start != start && tt_ring_at_rest(ring) &&
            tt_send_status(index, TT_CLASS_COUNT)) {
            ring->final_of_start = start;
            return true;
        }
    }
    return false;
}

bool tt_drain_send(void)
{
    return announce_in_share() || send_any_buffer() || announce_in_spare_room() ||
           send_final_status();
}

bool tt_drain_done(void)
{
    if (tt_target() == NULL) {
        return true; /* before tt_init() rings have no stream */
    }
    for (uint32_t index = 0; index < TT_RING_COUNT; index++) {
        const tt_ring_t *ring = tt_ring_at(index);
        /* A held stream keeps its records: they are not waiting for the drain. */
        bool stays = is_held(index) && !tt_ring_at_rest(ring);
        if (!stays && ring->final_of_start != tt_load(&tt_ring_stream(ring)->starts)) {
            return false;
        }
    }
    return tt_announce_done();
}
