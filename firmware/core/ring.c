#include "ring.h"

#include <stddef.h>
#include <string.h>

#include "clock.h"
#include "ring_finalize.h"

/* Number of overwritten records that one step counts by class. Steps keep masked sections short;
 * each record is counted just before it is overwritten. In a later lap of a trace a step also
 * advances the buffer's time, which takes as long again. */
#define SETTLE_RECORDS     5u
#define SETTLE_LAP_RECORDS 2u

#define HIGH_WATER_RECORDS ((TT_CONFIG_BUFFER_RECORDS * TT_CONFIG_HIGH_WATER_PERCENT + 99u) / 100u)

_Static_assert(TT_CONFIG_BUFFERS >= 2 && TT_CONFIG_BUFFERS <= 255, "TT_CONFIG_BUFFERS: 2-255");
_Static_assert(TT_CONFIG_BUFFER_RECORDS >= 16 && TT_CONFIG_BUFFER_RECORDS <= 4000 &&
                   TT_CONFIG_BUFFER_RECORDS % 8 == 0,
               "TT_CONFIG_BUFFER_RECORDS: 16-4000, a multiple of 8");
_Static_assert(TT_CONFIG_HIGH_WATER_PERCENT >= 1 && TT_CONFIG_HIGH_WATER_PERCENT <= 100,
               "TT_CONFIG_HIGH_WATER_PERCENT: 1-100");
_Static_assert(sizeof(tt_record_t) == TT_RECORD_BYTES, "a record has 16 bytes");

tt_ring_t tt_rings[TT_CONFIG_STREAMS][TT_RING_CPUS];
tt_stream_t tt_streams[TT_CONFIG_STREAMS];
_Atomic bool tt_routes_late;
#if TT_CONFIG_PROBE
tt_probe_t tt_probe;
#endif
tt_route_t tt_route[TT_ROUTE_COUNT];

/* Records of all rings. */
static tt_record_t memory[TT_RING_COUNT][TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS];

void tt_ring_reset(tt_ring_t *ring)
{
    memset(ring, 0, sizeof *ring);
    ring->records = memory[TT_RING_COUNT == 1 ? 0 : ring - &tt_rings[0][0]];
    ring->buffer_count = TT_CONFIG_BUFFERS;
#if TT_CONFIG_STREAMS > 1
    ring->stream = &tt_streams[(ring - &tt_rings[0][0]) / TT_RING_CPUS];
#endif
    ring->filling = &ring->buffers[TT_CONFIG_BUFFERS - 1u]; /* so that buffer 0 is opened first */
}

/* Return the tag of an opening in a state. */
static uint32_t tag_of(uint32_t sequence, tt_buffer_state_t state)
{
    return (sequence << TT_BUFFER_STATE_BITS) | (uint32_t)state;
}

void tt_ring_settle_step(tt_ring_t *ring)
{
    bool lapped = tt_ring_is_lapped(ring);
    uint32_t stop = ring->settled_records + (lapped ? SETTLE_LAP_RECORDS : SETTLE_RECORDS);
    if (stop > ring->settle_records) {
        stop = ring->settle_records;
    }
    const tt_record_t *end = ring->base + stop;
    for (const tt_record_t *old = ring->base + ring->settled_records; old < end; old++) {
        _Atomic uint32_t *counter = &ring->overwritten_by_class[tt_record_class(old->header)];
        __asm("" : "+r"(counter)); /* makes the compiler use one address for load and store */
        tt_count(counter, 1);
    }
    if (lapped) {
        tt_ring_forget(ring, stop);
    }
    ring->settled_records = stop;
}

/* Set `limit`, the next position at which the emit path calls tt_ring_advance():
 *     base ... settle steps ... high-water mark ... end */
static void set_limit(tt_ring_t *ring)
{
    if (ring->shedding) {
        ring->limit = ring->cursor + 1; /* call tt_ring_advance() for each record */
        return;
    }
    uint32_t stop = TT_CONFIG_BUFFER_RECORDS;
    if (tt_ring_filled(ring) < HIGH_WATER_RECORDS) {
        stop = HIGH_WATER_RECORDS;
    }
    if (ring->settled_records < ring->settle_records && ring->settled_records < stop) {
        stop = ring->settled_records;
    }
    ring->limit = ring->base + stop;
}

/* Return whether the next buffer to open is one of the last free ones, so that classes are shed.
 * Never with OVERWRITE, which takes full buffers. */
static bool low_on_buffers(const tt_ring_t *ring)
{
    return ring->policy != TT_POLICY_OVERWRITE &&
           ring->buffer_count - tt_ring_used_buffers(ring) <= tt_peek(&ring->shed_below_free);
}

/* Undo a claim: the buffer becomes FREE and is the next one to be claimed. */
static void cancel_buffer(tt_ring_t *ring)
{
    tt_ring_counters_begin(ring); /* publish the count of claim_buffer() */
    tt_ring_counters_end(ring, TT_COUNTER_OVERWRITTEN);
    tt_store(&ring->filling->tag, TT_BUFFER_FREE);
    tt_count(&ring->opened, -1u);
#if TT_CONFIG_FINALIZE
    ring->ended = false;
#endif
    ring->cursor = ring->base;
    ring->limit = ring->base;
    ring->filling =
        (ring->filling == ring->buffers ? ring->buffers + ring->buffer_count : ring->filling) - 1;
}

void tt_ring_close(tt_ring_t *ring)
{
    tt_buffer_t *buffer = ring->filling;
    uint32_t fill = tt_ring_filled(ring);
    buffer->count = fill;
    tt_ring_counters_begin(ring);
    ring->next_ordinal += fill;
    tt_ring_counters_end(ring, TT_COUNTER_OFFERED);
#if TT_CONFIG_FINALIZE
    if (ring->lapped) {
        buffer->count = fill + ring->settle_records - ring->settled_records;
        buffer->first_ordinal = ring->next_ordinal - buffer->count;
        buffer->first_slot = ring->settled_records % TT_CONFIG_BUFFER_RECORDS;
        ring->lapped = false;
        tt_ring_counters_begin(ring); /* publish the counts of tt_ring_forget() */
        tt_ring_counters_end(ring, TT_COUNTER_OVERWRITTEN);
    }
    ring->ended = false;
#endif
    ring->cursor = ring->base;
    ring->limit = ring->base;
    atomic_store_explicit(&ring->wants_drain, false, memory_order_relaxed);
    uint32_t used = tt_ring_used_buffers(ring);
    if (used > tt_peek(&ring->high_water_buffers)) {
        tt_poke(&ring->high_water_buffers, used);
    }
    tt_store(&buffer->tag, tt_peek(&buffer->tag) + (TT_BUFFER_FULL - TT_BUFFER_FILLING));
    tt_port_notify_drain();
}

/* Dropped records, also those of load shedding, get the ordinals after the last closed buffer. */
uint32_t tt_ring_settle_pending_drops(tt_ring_t *ring)
{
    uint32_t count = tt_peek(&ring->pending_drops);
    if (TT_CONFIG_CPUS == 1 || count != 0u) {
        tt_ring_counters_begin(ring);
        ring->next_ordinal += count;
        ring->dropped += count;
        tt_poke(&ring->pending_drops, 0);
        tt_ring_counters_end(ring, TT_COUNTER_OFFERED | TT_COUNTER_DROPPED);
    }
    return count;
}

/* Count a record as dropped. */
static void drop(tt_ring_t *ring, uint32_t header)
{
    tt_count(&ring->dropped_by_class[tt_record_class(header)], 1);
    uint32_t count = tt_peek(&ring->pending_drops) + 1u;
    tt_poke(&ring->pending_drops, count);
    if ((int32_t)count < 0) { /* move them to the 64-bit counters long before this one wraps */
        if (tt_ring_has_records(ring)) {
            tt_ring_close(ring);
        }
        (void)tt_ring_settle_pending_drops(ring);
    }
}

/*
 * Return whether a buffer is FILLING, and check the cursor. The emit path stays below the limit, so
 * a cursor outside of that buffer, or one that moved while no buffer is FILLING, means that the
 * ring had two writers: the port masks too little or returns a wrong CPU number. The number of
 * records in the buffer is then unknown: discard it and count one dropped record of class EMPTY,
 * which reports the fault.
 */
static bool is_open(tt_ring_t *ring)
{
    uint32_t fill = tt_ring_filled(ring);
    bool filling = ring->filling != NULL && /* NULL before tt_init() */
                   tt_buffer_state(tt_peek(&ring->filling->tag)) == TT_BUFFER_FILLING;
    if (fill <= (filling ? TT_CONFIG_BUFFER_RECORDS : 0u)) {
        return filling;
    }
    if (filling) {
        cancel_buffer(ring);
    }
    ring->cursor = ring->base;
    ring->limit = ring->base;
    drop(ring, TT_RECORD_FIELD(CLASS, TT_CLASS_EMPTY));
    return false;
}

/* Return a FREE buffer, with OVERWRITE also a FULL one. */
tt_buffer_t *tt_ring_find_free(tt_ring_t *ring)
{
    bool overwrites = ring->policy == TT_POLICY_OVERWRITE;
    uint32_t other_states = overwrites ? ~(uint32_t)TT_BUFFER_FULL : ~0u;
    /* The drain has one buffer SENDING at a time. If the next buffer is SENDING, the one after it
     * is free or full, unless the drain has changed from one to the other between two reads. */
    uint32_t looks = overwrites ? 4u : 1u;
    if (TT_CONFIG_FINALIZE && ring->policy == TT_POLICY_FINALIZE_FREE) {
        looks = ring->buffer_count == tt_ring_used_buffers(ring) ? 1u : ring->buffer_count;
    }
    tt_buffer_t *buffer = ring->filling;
    do {
        buffer++;
        if (buffer == &ring->buffers[ring->buffer_count]) {
            buffer = ring->buffers;
        }
        if ((tt_buffer_state(tt_load(&buffer->tag)) & other_states) == 0u) {
            return buffer;
        }
    } while (--looks > 0u);
    return NULL;
}

/* Make a buffer FILLING. It has no records, and no room until open_buffer(). The records of a FULL
 * buffer count as overwritten. Does nothing if the drain has taken the buffer meanwhile. */
static void claim_buffer(tt_ring_t *ring, tt_buffer_t *buffer)
{
    const uint32_t tag = tt_load(&buffer->tag);
    const uint32_t sequence = ring->next_sequence;
    if ((TT_PARALLEL && tt_buffer_state(tag) == TT_BUFFER_SENDING) ||
        !tt_exchange_masked(&buffer->tag, tag, tag_of(sequence, TT_BUFFER_FILLING))) {
        return;
    }
    uint32_t given_up = 0;
    if (tt_buffer_state(tag) == TT_BUFFER_FREE) {
        tt_count(&ring->opened, 1);
    } else {
#if TT_CONFIG_READERS
        ring->lost_ticks = ring->losing ? ring->lost_ticks : buffer->ticks;
        ring->losing = true;
#endif
        given_up = buffer->count;
        ring->overwritten += given_up;
    }
    ring->settle_records = given_up;
    ring->settled_records = 0;
    buffer->sequence = sequence;
    ring->next_sequence = sequence + 1u;
    ring->filling = buffer;
    ring->base = tt_ring_records(ring, buffer);
    ring->cursor = ring->base;
    ring->limit = ring->base;
}

/* Fill in the descriptor of a claimed buffer at tick `now`. No drops are pending. */
static void open_buffer(tt_ring_t *ring, uint32_t now)
{
    tt_buffer_t *buffer = ring->filling;
    const uint64_t ticks = tt_clock_extend(now);
    buffer->first_ordinal = ring->next_ordinal;
    buffer->dropped = ring->dropped;
    buffer->ticks = ticks;
    ring->anchored = ticks;
    tt_ring_counters_begin(ring); /* publish the count of claim_buffer() */
    tt_ring_counters_end(ring, TT_COUNTER_OVERWRITTEN);
#if TT_CONFIG_FINALIZE
    buffer->first_slot = 0;
    ring->lap_ticks = ticks;
#endif
}

/* Drop a record of a shed class while few buffers are free. Returns whether it was dropped. */
static bool shed(tt_ring_t *ring, uint32_t header)
{
    if (ring->shedding && ((tt_peek(&ring->shed_classes) >> tt_record_class(header)) & 1u) != 0u) {
        drop(ring, header);
        return true;
    }
    return false;
}

/*
 * Enclose the decision to open a buffer or to drop a record. decision_begin() returns false when
 * the stream has stopped: the writer then does neither. The drain on another CPU reads `running`,
 * then `deciding`, so either the drain sees that the writer decides, or the writer sees that the
 * stream has stopped.
 */
static bool decision_begin(tt_ring_t *ring)
{
#if TT_CONFIG_CPUS > 1
    tt_set(&ring->deciding, true);
#endif
    return tt_is_set(&tt_ring_stream(ring)->running);
}

static void decision_end(tt_ring_t *ring)
{
#if TT_CONFIG_CPUS > 1
    atomic_store_explicit(&ring->deciding, false, memory_order_release);
#else
    (void)ring;
#endif
}

/* Claim a buffer while none is open. Returns false if the record was dropped, because no buffer is
 * free or its class is shed. */
static bool begin_buffer(tt_ring_t *ring, uint32_t header)
{
    tt_buffer_t *buffer = tt_ring_find_free(ring);
    if (buffer == NULL) {
        drop(ring, header);
        if (ring->policy == TT_POLICY_UNTIL_FULL) {
#if TT_CONFIG_READERS
            ring->lost_ticks = tt_clock_extend(tt_port_ticks());
#endif
            if (TT_ROUTE_REFUSED != 0u) {
                tt_set(&tt_ring_stream(ring)->was_full, true);
            }
            tt_set(&tt_ring_stream(ring)->running, false);
            tt_set(&tt_routes_late, true);
        }
        return false;
    }
    ring->shedding = low_on_buffers(ring);
    if (shed(ring, header)) {
        return false;
    }
    claim_buffer(ring, buffer);
    return true;
}

bool tt_ring_advance(tt_ring_t *ring, uint32_t header, uint32_t now)
{
    if (!is_open(ring)) {
        bool claimed = decision_begin(ring) && begin_buffer(ring, header);
        decision_end(ring);
        return claimed;
    }
    uint32_t fill = tt_ring_filled(ring);
    if (fill == TT_CONFIG_BUFFER_RECORDS || tt_ring_has_ended(ring)) {
#if TT_CONFIG_FINALIZE
        if (tt_ring_finalizes(ring) && !ring->ended) {
            tt_ring_begin_lap(ring, now);
            return true;
        }
#endif
        tt_ring_close(ring);
        return true;
    }
    if (fill == ring->settled_records && ring->settle_records > fill) {
        tt_ring_settle_step(ring);
        return true;
    }
    if (fill == 0u && !tt_ring_is_lapped(ring)) {
        if (tt_ring_settle_pending_drops(ring) != 0u) {
            return true;
        }
        open_buffer(ring, now);
    }
    if (fill == HIGH_WATER_RECORDS && !tt_ring_finalizes(ring)) {
        atomic_store_explicit(&ring->wants_drain, true, memory_order_relaxed);
        tt_port_notify_drain();
    }
    if (shed(ring, header)) {
        return false; /* the limit stays, so the next record calls this function too */
    }
    set_limit(ring);
    return true;
}

/* Return whether this CPU writes the ring; interrupts are masked, so the CPU does not change. */
static bool is_mine(const tt_ring_t *ring)
{
    return TT_RING_CPUS == 1 || (uint32_t)(ring - &tt_rings[0][0]) % TT_RING_CPUS == tt_port_cpu();
}

/* Take one step of tt_ring_flush() with interrupts masked. Returns true when more steps are needed,
 * because overwritten records are not counted by class yet. */
static bool flush_step(tt_ring_t *ring)
{
    if (!is_mine(ring)) {
        tt_set(&ring->wants_flush, true);
        return false;
    }
    if (!is_open(ring)) {
        return false;
    }
    if (tt_ring_owes_classes(ring)) {
        tt_ring_settle_step(ring);
        return true;
    }
    if (!tt_ring_has_records(ring)) {
        cancel_buffer(ring);
    } else if (!tt_ring_finalizes(ring) || tt_ring_has_ended(ring) ||
               !tt_is_set(&tt_ring_stream(ring)->running)) {
        tt_ring_close(ring);
    }
    return false;
}

void tt_ring_flush(tt_ring_t *ring)
{
    bool more;
    do {
        tt_port_key_t key = tt_port_lock();
        more = flush_step(ring);
        tt_port_unlock(key);
    } while (more);
}
