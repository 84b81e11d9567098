/*
 * The drain: one frame a step, in this order: the reply to a command, announcements that were asked
 * for now, periodic ones as far as their share of the link goes, then full buffers, then buffers
 * past their high-water mark, then what is left of the announcements, and after the end the last
 * STATUS. Everything here runs in one thread.
 */
#include <stddef.h>
#include <string.h>

#include "clock.h"
#include "command.h"
#include "core.h"
#include "outlet.h"
#include "tickertape/filter.h"

/* While records wait announcements get SHARE / 256 of the bytes that records get: less than a
 * tenth, and enough for the counters of 8 rings every 10 s at 9600 baud. What is not used is kept,
 * up to so many bytes. */
#define SHARE           22u
#define SHARE_MAX_BYTES 512

static struct {
    const tt_target_t *target;
    int32_t share_bytes; /* that announcements may take from records; below 0 they took more */
    uint32_t next_ring;  /* rings take turns */
    bool reply_waits;    /* a command was carried out and is to be answered */
    tt_wire_reply_t reply;
    _Atomic uint32_t held; /* bit per stream */
    struct {
        tt_tap_t tap;
        void *context;
    } taps[TT_CONFIG_STREAMS];
} drain;

const tt_target_t *tt_target(void)
{
    return drain.target;
}

uint32_t tt_clock_hz(void)
{
    return drain.target == NULL ? 0u : drain.target->tick_hz;
}

int tt_init(const tt_target_t *target, const tt_link_t *link)
{
    if (target == NULL || link == NULL || target->tick_hz == 0u) {
        return TT_ERROR_ARGUMENT;
    }
    memset(&drain, 0, sizeof drain);
    drain.target = target;
    tt_outlet_reset(link);
    tt_send_reset();
    for (uint32_t i = 0; i < TT_RING_COUNT; i++) {
        tt_ring_reset(tt_ring_at(i));
        tt_ring_at(i)->policy = TT_CONFIG_POLICY;
    }
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        tt_set(&tt_streams[stream].running, false);
        tt_store(&tt_streams[stream].starts, 1);
    }
    tt_route_reset();
    tt_clock_reset();
    tt_command_reset();
    tt_stream_reset();
    tt_announce_reset(target);
    tt_announce_ask(TT_ANNOUNCE_NAMES);
    return TT_OK;
}

void tt_current_thread(uint32_t *pid, uint32_t *tid)
{
    *pid = 0;
    *tid = 0;
    if (drain.target != NULL && drain.target->current_thread != NULL) {
        drain.target->current_thread(pid, tid);
    }
}

void tt_drain_announce(void)
{
    tt_announce_ask(TT_ANNOUNCE_PERIODIC);
}

/* Send what is announced now, or periodically in its share of the link. */
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

/* Where the link could take a buffer and none waits. */
static bool announce_in_spare_room(void)
{
    return tt_send_buffer_room() && tt_announce_step(false, true);
}

/* Bytes from the host that one step takes at most, as many as the longest command has: who sends
 * without end does not keep the drain from sending. */
#define BYTES_OF_A_STEP 256u

/* Carry out a command that came from the host. True when more bytes may wait. */
static bool hear_host(void)
{
    const tt_link_t *link = tt_outlet_link();
    uint32_t left = BYTES_OF_A_STEP;
    uint8_t byte;
    while (link->get != NULL && !drain.reply_waits && link->get(link->context, &byte, 1) != 0u) {
        drain.reply_waits = tt_command_receive(byte, &drain.reply);
        left--;
        if (left == 0u) {
            return true;
        }
    }
    return false;
}

/* Answer before anything else is sent. */
static bool send_reply(void)
{
    if (!drain.reply_waits || !tt_outlet_has_room(sizeof drain.reply)) {
        return false;
    }
    tt_frame_t frame;
    tt_outlet_begin(&frame, TT_FRAME_TYPE_REPLY, drain.reply.stream, 0);
    tt_frame_add(&frame, &drain.reply, sizeof drain.reply);
    tt_outlet_end(&frame);
    drain.reply_waits = false;
    return true;
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
    return ((tt_load(&drain.held) >> (index / TT_CONFIG_CPUS)) & 1u) != 0u;
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

int tt_hold(uint32_t stream, bool hold)
{
    if (stream >= TT_CONFIG_STREAMS) {
        return TT_ERROR_ARGUMENT;
    }
    if (hold) {
        atomic_fetch_or(&drain.held, 1u << stream);
    } else {
        atomic_fetch_and(&drain.held, ~(1u << stream));
    }
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

bool tt_drain_step(void)
{
    if (drain.target == NULL) { /* tt_init() has failed: there is no link */
        return false;
    }
    if (tt_is_set(&tt_routes_late)) {
        tt_set(&tt_routes_late, false);
        tt_route_refresh(&tt_every_route);
    }
    bool may_hear_more = hear_host();
    return send_reply() || announce_in_share() || send_any_buffer() || announce_in_spare_room() ||
           send_final_status() || may_hear_more;
}

bool tt_drain_done(void)
{
    for (uint32_t index = 0; index < TT_RING_COUNT; index++) {
        const tt_ring_t *ring = tt_ring_at(index);
        bool stays = is_held(index) && !tt_ring_at_rest(ring); /* nobody asks for what it holds */
        if (!stays && ring->final_of_start != tt_load(&tt_ring_stream(ring)->starts)) {
            return false;
        }
    }
    return drain.target == NULL || tt_announce_done();
}

void tt_flush(uint32_t stream)
{
    if (stream < TT_CONFIG_STREAMS) {
        tt_port_key_t key = tt_port_lock();
        tt_ring_t *ring = &tt_rings[stream][tt_port_cpu()];
        tt_port_unlock(key);
        tt_ring_flush(ring); /* by that CPU when it asks for it, if this one is another by now */
    }
}

void tt_flush_all(uint32_t stream)
{
    for (uint32_t cpu = 0; stream < TT_CONFIG_STREAMS && cpu < TT_CONFIG_CPUS; cpu++) {
        tt_ring_flush(&tt_rings[stream][cpu]);
    }
}
