/*
 * The drain sends one frame per step, or the part of it that the link has room for. It ends a frame
 * before it begins another one. The order of frames: the reply to a command (command.c), the rest
 * of a buffer that was begun, requested announcements, periodic announcements within their share of
 * the link, full buffers, buffers past their high-water mark, other announcements, and the final
 * STATUS of stopped streams. All of it runs in one thread.
 */
#include "drain.h"

#include <stddef.h>
#include <string.h>

#include "announce.h"
#include "outlet.h"
#include "ring_read.h"
#include "send.h"
#include "target.h"

/* While records wait, announcements may use SHARE / 256 of the bytes that records use: less than a
 * tenth, and enough for the counters of 8 rings every 10 s at 9600 baud. An unused share
 * accumulates up to SHARE_MAX_BYTES. */
#define SHARE           22u
#define SHARE_MAX_BYTES 512

static struct {
    int32_t share_bytes;  /* bytes that announcements may use; negative after a long one */
    _Atomic bool waits;   /* the link had too little room */
    uint8_t next_ring;    /* ring to check first: rings take turns */
    uint8_t index;        /* index of the ring of ... */
    tt_buffer_t *buffer;  /* ... the buffer at hand, taken from its ring; NULL: none */
    tt_record_t *records; /* its records that are still to be sent */
#if TT_CONFIG_DRAIN_SLICE
    uint32_t count; /* number of records in the slice being sent */
    uint64_t ticks; /* 64-bit time of the last of them */
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

/* Send a requested announcement. Returns true also while the link has no room for one: a buffer,
 * which may need less room, must not precede the first receipts, which count the losses before
 * it. */
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

/* Send an announcement while no buffer waits and the link is nearly empty. */
static bool announce_in_spare_room(void)
{
    return tt_outlet_is_idle() && tt_announce_step(false, true);
}

/* Close the open buffer of a ring if it has passed its high-water mark or its stream has stopped.
 * Returns false if neither is the case. */
static bool close_waiting(tt_ring_t *ring)
{
    bool stopped = !tt_is_set(&tt_ring_stream(ring)->running) && !tt_ring_empty(ring);
    bool waits = stopped || tt_is_set(&ring->wants_drain);
    if (waits) {
        tt_ring_flush(ring);
    }
    return waits;
}

/* Take the oldest buffer of a ring and pass it to the callback of its stream. Returns NULL when the
 * ring has none to send. */
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

/* Return the 64-bit time of the last of `count` records; `ticks` is a 64-bit time before the
 * first. */
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

/* Begin to send the next slice of the buffer at hand. Its descriptor does not change until the
 * slice was sent. */
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

/* Settle a slice that was sent, and release the buffer after its last slice. After another slice,
 * the descriptor describes the remaining records, as a buffer opened at the time of the last record
 * sent. `drain.buffer` is NULL while the descriptor changes, so that a memory image
 * (docs/recover.md) never contains a half-changed one. */
static void end_slice(void)
{
    tt_buffer_t *buffer = drain.buffer;
    tt_ring_t *ring = tt_ring_at(drain.index);
    drain.buffer = NULL;
    atomic_signal_fence(memory_order_seq_cst); /* keeps the order of the stores, as does ... */
    if (drain.count == buffer->count) {
        tt_ring_release(ring, buffer);
        return;
    }
    tt_ring_settle_part(ring, buffer, drain.count);
    buffer->first_ordinal += drain.count;
    buffer->ticks = drain.ticks;
    buffer->count -= drain.count;
    drain.records += drain.count;
    atomic_signal_fence(memory_order_seq_cst); /* ... this one */
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

/* Send as much of the buffer at hand as the link has room for, and add to the share of
 * announcements. Returns true when at least one byte was sent. */
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

/* Continue with a buffer that was begun. */
static bool send_rest(void)
{
    tt_set(&drain.waits, true); /* before the room is read: a link reads it after it has sent */
    return go_on();
}

#if TT_CONFIG_PROBE

/* Lend the buffers of each stream to the probe while it requests them. Only between two buffers, so
 * that the probe and the drain never release buffers of one ring at the same time. */
static void lend(void)
{
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS && drain.buffer == NULL; stream++) {
        tt_set(&tt_streams[stream].lent, tt_is_set(&tt_streams[stream].asked));
    }
}

/* Return true when the probe has the buffers of this ring. Then also close the buffer that was open
 * when the stream stopped. */
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

/* Begin to send the oldest buffer of one ring. Returns false when there is none to send. */
static bool send_buffer_of(uint32_t index)
{
    if (leave_to_probe(index)) {
        return false;
    }
    tt_buffer_t *buffer = take_buffer(index);
    if (buffer == NULL) {
        return false;
    }
    drain.index = (uint8_t)index;
    drain.records = tt_ring_records(tt_ring_at(index), buffer);
    atomic_signal_fence(memory_order_seq_cst);
    /* Last, so that a memory image with this buffer has the address of its records as well. */
    drain.buffer = buffer;
    (void)go_on(); /* if the link takes nothing now, the next step continues */
    return true;
}

/* Return whether the stream of a ring is held (tt_pause_drain()). */
static bool is_held(uint32_t index)
{
    return tt_is_set(&tt_streams[index / TT_RING_CPUS].held);
}

/* Return true when the link has room to begin a buffer. */
static bool may_begin(void)
{
    tt_set(&drain.waits, true); /* as in send_rest() */
    bool may = tt_send_buffer_room();
    tt_set(&drain.waits, !may);
    return may;
}

/* Send a buffer, or the next part of one, of any stream that is not held. Returns false when none
 * is to be sent or the link has too little room. */
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
            drain.next_ring = (uint8_t)(index + 1u);
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

/* Send the final STATUS of one ring at rest, once for each start of its stream. */
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
        return true; /* before tt_init() a ring has no stream */
    }
    if (drain.buffer != NULL) { /* also of a stream that has been held since */
        return false;
    }
    for (uint32_t index = 0; index < TT_RING_COUNT; index++) {
        const tt_ring_t *ring = tt_ring_at(index);
        /* A held stream keeps its records, so they do not delay the end. */
        bool stays = is_held(index) && !tt_ring_at_rest(ring);
        if (!stays && ring->final_of_start != tt_load(&tt_ring_stream(ring)->starts)) {
            return false;
        }
    }
    return tt_announce_done();
}
