/*
 * The drain sends one frame per step, or what the link has room for. It ends a frame before it
 * begins another one, in this order: requested announcements, periodic ones within their share of
 * the link, the rest of a buffer that it began, full buffers, buffers past their high-water mark,
 * the remaining announcements, and after the end the last STATUS. The reply to a command precedes
 * them (command.c). One thread runs all of it.
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
    int32_t share_bytes;  /* that announcements may use; negative after a long one */
    uint32_t next_ring;   /* rings take turns */
    _Atomic bool waits;   /* for room */
    tt_buffer_t *buffer;  /* taken from its ring and not sent yet, NULL without one */
    uint32_t index;       /* of the ring */
    tt_record_t *records; /* of it that are still to be sent */
#if TT_CONFIG_DRAIN_SLICE
    uint32_t count; /* of them that are being sent, */
    uint64_t ticks; /* and the 64-bit time after these */
#endif
    struct {
        tt_buffer_callback_t callback;
        void *context;
    } callbacks[TT_CONFIG_STREAMS];
} drain;

void tt_drain_reset(void)
{
    memset(&drain, 0, sizeof drain);
}

void tt_drain_announce(void)
{
    tt_announce_ask(TT_ANNOUNCE_PERIODIC);
}

/* Send a requested announcement. Also true while there is no room for it: a buffer that may need
 * less must not precede the first receipts, which count what was lost before it. */
static bool announce_requested(bool *sent)
{
    tt_set(&drain.waits, true); /* as in send_rest() */
    *sent = tt_announce_step(true, true);
    bool waits = !*sent && tt_announce_waits();
    tt_set(&drain.waits, waits);
    return *sent || waits;
}

/* Send a periodic announcement within its share of the link. */
static bool announce_in_share(void)
{
    uint32_t before = tt_outlet_sent_bytes();
    bool sent = drain.share_bytes > 0 && tt_announce_step(false, false);
    drain.share_bytes -= (int32_t)(tt_outlet_sent_bytes() - before);
    return sent;
}

/* Send an announcement while no buffer waits and little in the link. */
static bool announce_in_spare_room(void)
{
    return tt_outlet_is_idle() && tt_announce_step(false, true);
}

/* Close a buffer past its high-water mark, or that was open when the stream stopped. False when
 * there is none. */
static bool close_waiting(tt_ring_t *ring)
{
    bool stopped = !tt_is_set(&tt_ring_stream(ring)->running) && !tt_ring_empty(ring);
    bool waits = stopped || tt_is_set(&ring->wants_drain);
    if (waits) {
        tt_ring_flush(ring);
    }
    return waits;
}

/* The oldest buffer of a ring, shown to the callback; NULL when it has none. */
static tt_buffer_t *take_buffer(uint32_t index)
{
    tt_ring_t *ring = tt_ring_at(index);
    tt_buffer_t *buffer = tt_ring_acquire_exclusive(ring);
    if (buffer == NULL && close_waiting(ring)) {
        buffer = tt_ring_acquire_exclusive(ring);
    }
    uint32_t stream = index / TT_RING_CPUS;
    if (buffer != NULL && drain.callbacks[stream].callback != NULL) {
        const tt_sent_buffer_t sent = {
            .cpu = index % TT_RING_CPUS,
            .loss_before = buffer->first_ordinal != ring->settled.ordinal,
            .ticks = buffer->ticks,
            .records = tt_ring_records(ring, buffer),
            .count = buffer->count,
        };
        drain.callbacks[stream].callback(drain.callbacks[stream].context, &sent);
    }
    return buffer;
}

#if TT_CONFIG_DRAIN_SLICE

/* 64-bit time of the last of some records, `ticks` before the first. */
static uint64_t time_after(uint64_t ticks, const tt_record_t *records, uint32_t count)
{
    for (const tt_record_t *end = records + count; records != end; records++) {
        /* CONTINUE and END repeat an earlier time. */
        if (records->header >> TT_RECORD_STRUCT_FIRST_BIT <= TT_RECORD_BEGIN) {
            ticks += records->time - (uint32_t)ticks;
        }
    }
    return ticks;
}

/* Begin with the next records of the buffer. Its descriptor stays as it is until they were sent. */
static void begin_slice(void)
{
    tt_buffer_t *buffer = drain.buffer;
    drain.count = buffer->count;
    if (drain.count > TT_SLICE_RECORDS) {
        drain.count = TT_SLICE_RECORDS;
        drain.ticks = time_after(buffer->ticks, drain.records, TT_SLICE_RECORDS);
    }
    tt_send_begin(drain.index, buffer, drain.records, drain.count);
}

/* A slice was sent. The descriptor of its buffer then describes the rest, as a buffer that was
 * opened at the time of the last record sent. While it changes, images of the memory
 * (docs/recover.md) show no buffer here. */
static void end_slice(void)
{
    tt_buffer_t *buffer = drain.buffer;
    tt_ring_t *ring = tt_ring_at(drain.index);
    drain.buffer = NULL;
    if (drain.count == buffer->count) {
        tt_ring_release(ring, buffer);
        return;
    }
    tt_ring_settle_part(ring, buffer, drain.count);
    buffer->first_ordinal += drain.count;
    buffer->ticks = drain.ticks;
    buffer->count -= drain.count;
    drain.records += drain.count;
    drain.buffer = buffer;
}

#else

static void begin_slice(void)
{
    tt_send_begin(drain.index, drain.buffer, drain.records, drain.buffer->count);
}

static void end_slice(void)
{
    tt_ring_release(tt_ring_at(drain.index), drain.buffer);
    drain.buffer = NULL;
}

#endif

/* Send what the link has room for of the buffer at hand, and count its bytes for the share of
 * announcements. True when some bytes went. */
static bool go_on(void)
{
    uint32_t before = tt_outlet_sent_bytes();
    if (!tt_send_busy()) {
        begin_slice();
    }
    bool whole = tt_send_go_on();
    uint32_t sent = tt_outlet_sent_bytes() - before;
    int32_t share = drain.share_bytes + (int32_t)(sent * SHARE / 256u);
    drain.share_bytes = share < SHARE_MAX_BYTES ? share : SHARE_MAX_BYTES;
    if (whole) {
        end_slice();
    }
    tt_set(&drain.waits, !whole);
    return sent != 0u;
}

/* Go on with a buffer that was begun. */
static bool send_rest(void)
{
    tt_set(&drain.waits, true); /* before reading the room: the link reads this when it has sent */
    return go_on();
}

#if TT_CONFIG_PROBE

/* Leave the buffers of each stream to the probe that asks for them, or take them back. Only between
 * two buffers: the probe and the drain never release buffers of one ring at a time. */
static void lend(void)
{
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS && drain.buffer == NULL; stream++) {
        tt_set(&tt_streams[stream].lent, tt_is_set(&tt_streams[stream].asked));
    }
}

/* True when the probe has the buffers of this ring; closes the one that was open when the stream
 * stopped. */
static bool leave_to_probe(uint32_t index)
{
    tt_ring_t *ring = tt_ring_at(index);
    bool is_lent = tt_is_set(&tt_ring_stream(ring)->lent);
    if (is_lent && !tt_is_set(&tt_ring_stream(ring)->running) && !tt_ring_empty(ring)) {
        tt_ring_flush(ring);
    }
    return is_lent;
}

#else

static void lend(void)
{
}

static bool leave_to_probe(uint32_t index)
{
    (void)index;
    return false;
}

#endif

/* Begin with the oldest buffer of one ring, or its first records; false when it has none. */
static bool send_buffer_of(uint32_t index)
{
    if (leave_to_probe(index)) {
        return false;
    }
    drain.buffer = take_buffer(index);
    if (drain.buffer == NULL) {
        return false;
    }
    drain.index = index;
    drain.records = tt_ring_records(tt_ring_at(index), drain.buffer);
    (void)go_on(); /* a link that takes nothing now gets the buffer later */
    return true;
}

static bool is_held(uint32_t index)
{
    return tt_is_set(&tt_streams[index / TT_RING_CPUS].held);
}

/* True when a buffer may be begun. */
static bool may_begin(void)
{
    tt_set(&drain.waits, true); /* as in send_rest() */
    bool may = tt_send_buffer_room();
    tt_set(&drain.waits, !may);
    return may;
}

static bool send_any_buffer(void)
{
    if (drain.buffer != NULL) {
        return send_rest();
    }
    if (!may_begin()) {
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
    if (stream >= TT_CONFIG_STREAMS) {
        return false;
    }
    lend();
    if (drain.buffer != NULL) {
        return send_rest();
    }
    if (!may_begin()) {
        return false;
    }
    for (uint32_t cpu = 0; cpu < TT_RING_CPUS; cpu++) {
        if (send_buffer_of(stream * TT_RING_CPUS + cpu)) {
            return true;
        }
    }
    return false;
}

bool tt_drain_waits(void)
{
    return tt_is_set(&drain.waits);
}

int tt_set_buffer_callback(uint32_t stream, tt_buffer_callback_t callback, void *context)
{
    if (stream >= TT_CONFIG_STREAMS) {
        return TT_ERROR_ARGUMENT;
    }
    drain.callbacks[stream].context = context;
    drain.callbacks[stream].callback = callback;
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
    bool sent;
    lend();
    if (tt_send_busy()) {
        return send_rest();
    }
    if (announce_requested(&sent)) {
        return sent;
    }
    return announce_in_share() || send_any_buffer() || announce_in_spare_room() ||
           send_final_status();
}

bool tt_drain_done(void)
{
    if (tt_target() == NULL) {
        return true; /* before tt_init() rings have no stream */
    }
    if (drain.buffer != NULL) { /* perhaps of a stream that is held since */
        return false;
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
