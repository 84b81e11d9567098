#include "ring.h"

#include <stddef.h>
#include <string.h>

#include "clock.h"
#include "control.h"
#include "core.h"

/* Overwritten records are counted by class in steps of so many, so that interrupts stay masked
 * for a bounded time: each record gives up its class just before it is written over. */
#define SETTLE_RECORDS 8u

/* How often the drain searches at most before it gives up for this time. */
#define MAX_SEARCHES 8u

#define HIGH_WATER_RECORDS ((TT_CONFIG_BUFFER_RECORDS * TT_CONFIG_HIGH_WATER_PERCENT + 99u) / 100u)

_Static_assert(TT_CONFIG_BUFFERS >= 2 && TT_CONFIG_BUFFERS <= 255, "TT_CONFIG_BUFFERS: 2-255");
_Static_assert(TT_CONFIG_BUFFER_RECORDS >= 16 && TT_CONFIG_BUFFER_RECORDS <= 4000 &&
                   TT_CONFIG_BUFFER_RECORDS % SETTLE_RECORDS == 0,
               "TT_CONFIG_BUFFER_RECORDS: 16-4000, a multiple of 8");
_Static_assert(TT_CONFIG_HIGH_WATER_PERCENT >= 1 && TT_CONFIG_HIGH_WATER_PERCENT <= 100,
               "TT_CONFIG_HIGH_WATER_PERCENT: 1-100");
_Static_assert(sizeof(tt_record_t) == TT_RECORD_BYTES, "a record has 16 bytes");

tt_ring_t tt_rings[TT_CONFIG_STREAMS][TT_CONFIG_CPUS];
tt_stream_t tt_streams[TT_CONFIG_STREAMS];

#define RING_COUNT (TT_CONFIG_STREAMS * TT_CONFIG_CPUS)

/* The records of each ring. */
static tt_record_t memory[RING_COUNT][TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS];

void tt_ring_reset(tt_ring_t *ring)
{
    memset(ring, 0, sizeof *ring);
    ring->records = memory[RING_COUNT == 1 ? 0 : ring - &tt_rings[0][0]];
    ring->buffer_count = TT_CONFIG_BUFFERS;
    ring->filling = TT_CONFIG_BUFFERS - 1u; /* so that buffer 0 is opened first */
}

/* Records in the buffer being filled; 0 while none is. */
static uint32_t filled(const tt_ring_t *ring)
{
    return (uint32_t)(ring->cursor - ring->base);
}

static uint32_t missed(const tt_ring_t *ring)
{
    return tt_peek(&ring->missed);
}

uint64_t tt_ring_offered(const tt_ring_t *ring)
{
    return ring->next_ordinal + filled(ring) + missed(ring);
}

uint64_t tt_ring_dropped(const tt_ring_t *ring)
{
    return ring->dropped + missed(ring);
}

/* The word that says "in this state since that opening"; 30 bits of the number are enough to tell
 * the openings apart that the drain may confuse. */
#define STATE_BITS 2u

static tt_buffer_state_t state_of(uint32_t tag)
{
    return (tt_buffer_state_t)(tag & ((1u << STATE_BITS) - 1u));
}

static uint32_t tag_of(uint32_t sequence, tt_buffer_state_t state)
{
    return (sequence << STATE_BITS) | (uint32_t)state;
}

static bool opened_before(uint32_t tag, uint32_t other)
{
    return (int32_t)((tag & ~3u) - (other & ~3u)) < 0;
}

static void settle_step(tt_ring_t *ring)
{
    const tt_record_t *old = ring->base;
    uint32_t stop = ring->settled_records + SETTLE_RECORDS;
    if (stop > ring->settle_records) {
        stop = ring->settle_records;
    }
    for (uint32_t i = ring->settled_records; i < stop; i++) {
        tt_ring_forget(ring, &old[i]);
    }
    if (tt_ring_finalizes(ring)) { /* with other policies the whole buffer was counted before */
        tt_ring_counters_begin(ring);
        ring->overwritten += stop - ring->settled_records;
        tt_ring_counters_end(ring);
    }
    ring->settled_records = stop;
}

/* The next place where the emit path has to stop and look:
 *     base ... settle steps ... high-water mark ... end */
static void set_limit(tt_ring_t *ring)
{
    if (ring->shedding) {
        ring->limit = ring->cursor + 1; /* look at each record */
        return;
    }
    uint32_t stop = TT_CONFIG_BUFFER_RECORDS;
    if (filled(ring) < HIGH_WATER_RECORDS) {
        stop = HIGH_WATER_RECORDS;
    }
    if (ring->settled_records < ring->settle_records && ring->settled_records < stop) {
        stop = ring->settled_records;
    }
    ring->limit = ring->base + stop;
}

/* The next buffer to open is one of the last free ones. Never with OVERWRITE: it takes full ones.
 */
static bool few_free(const tt_ring_t *ring)
{
    return ring->policy != TT_POLICY_OVERWRITE &&
           ring->buffer_count - tt_ring_used_buffers(ring) <= tt_peek(&ring->shed_below_free);
}

static void close_buffer(tt_ring_t *ring)
{
    tt_buffer_t *buffer = &ring->buffers[ring->filling];
    uint32_t fill = filled(ring);
    buffer->count = fill;
    tt_ring_counters_begin(ring);
    ring->next_ordinal += fill;
    tt_ring_counters_end(ring);
#if TT_CONFIG_FINALIZE
    if (ring->lapped) {
        buffer->count = fill + ring->settle_records - ring->settled_records;
        buffer->first_ordinal = ring->next_ordinal - buffer->count;
        buffer->first_slot = ring->settled_records % TT_CONFIG_BUFFER_RECORDS;
    }
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

/* What is dropped counts as offered after the last buffer, also when it was shed meanwhile. */
static uint32_t settle_missed(tt_ring_t *ring)
{
    uint32_t count = missed(ring);
    tt_ring_counters_begin(ring);
    ring->next_ordinal += count;
    ring->dropped += count;
    tt_poke(&ring->missed, 0);
    tt_ring_counters_end(ring);
    return count;
}

static void drop(tt_ring_t *ring, uint32_t header)
{
    tt_count(&ring->dropped_by_class[tt_record_class(header)], 1);
    uint32_t count = missed(ring) + 1u;
    tt_poke(&ring->missed, count);
    if ((int32_t)count < 0) { /* long before its 32 bits are full */
        if (ring->cursor != ring->base) {
            close_buffer(ring);
        }
        (void)settle_missed(ring);
    }
}

/*
 * The buffer being filled holds records. The emit path stays below the limit, so a cursor outside
 * of that buffer, or a buffer that is not FILLING, means that the ring had two writers: a port that
 * masks too little or answers a wrong CPU. The number of its records is unknown then. The buffer is
 * given up, and one dropped record of class EMPTY is the receipt.
 */
static bool is_open(tt_ring_t *ring)
{
    uint32_t fill = filled(ring);
    if (fill == 0u) {
        return false;
    }
    _Atomic uint32_t *tag = &ring->buffers[ring->filling].tag;
    if (state_of(tt_peek(tag)) == TT_BUFFER_FILLING) {
        if (fill <= TT_CONFIG_BUFFER_RECORDS) {
            return true;
        }
        tt_store(tag, TT_BUFFER_FREE);
        tt_count(&ring->opened, -1u);
    }
    ring->cursor = ring->base;
    ring->limit = ring->base;
    drop(ring, TT_RECORD_FIELD(CLASS, TT_CLASS_EMPTY));
    return false;
}

static uint32_t next_index(const tt_ring_t *ring, uint32_t index)
{
    return index + 1u == ring->buffer_count ? 0u : index + 1u;
}

/* True when a buffer is FREE. With OVERWRITE a full one is made so: its records are given up. */
static bool make_free(tt_ring_t *ring, tt_buffer_t *buffer)
{
    uint32_t tag = tt_load(&buffer->tag);
    while (state_of(tag) == TT_BUFFER_FULL && ring->policy == TT_POLICY_OVERWRITE) {
        if (tt_exchange_masked(&buffer->tag, tag, TT_BUFFER_FREE)) {
#if TT_CONFIG_READERS
            ring->lost_ticks = ring->losing ? ring->lost_ticks : buffer->ticks;
            ring->losing = true;
#endif
            ring->overwritten += buffer->count;
            ring->settle_records = buffer->count;
            tt_count(&ring->opened, -1u);
            return true;
        }
        tag = tt_load(&buffer->tag);
    }
    return state_of(tag) == TT_BUFFER_FREE;
}

uint32_t tt_ring_find_free(tt_ring_t *ring)
{
    bool any = ring->policy == TT_POLICY_OVERWRITE ||
               (TT_CONFIG_FINALIZE && ring->policy == TT_POLICY_FINALIZE_FREE);
    /* Twice round: a buffer that the drain was sending is free when it sends the next one. */
    uint32_t looks = any ? 2u * TT_CONFIG_BUFFERS : 1u;
    uint32_t index = ring->filling;
    do {
        index = next_index(ring, index);
        if (make_free(ring, &ring->buffers[index])) {
            return index;
        }
    } while (--looks > 0u);
    return TT_RING_NONE_FREE;
}

static void open_buffer(tt_ring_t *ring, uint32_t index, uint32_t now)
{
    (void)settle_missed(ring);
    const uint64_t ticks = tt_clock_extend(now);
    const uint32_t sequence = ring->next_sequence++;
    tt_buffer_t *buffer = &ring->buffers[index];
    buffer->first_ordinal = ring->next_ordinal;
    buffer->dropped = ring->dropped;
    buffer->ticks = ticks;
    buffer->sequence = sequence;
    tt_count(&ring->opened, 1);
    tt_store(&buffer->tag, tag_of(sequence, TT_BUFFER_FILLING));
    ring->anchored = ticks;
#if TT_CONFIG_FINALIZE
    buffer->first_slot = 0;
    ring->lapped = false;
    ring->lap_ticks = ticks;
#endif
    ring->filling = index;
    ring->base = ring->records + index * TT_CONFIG_BUFFER_RECORDS;
    ring->cursor = ring->base;
}

/* The emit path stopped inside a buffer. Returns false when the buffer is full. */
static bool go_on(tt_ring_t *ring)
{
    uint32_t fill = filled(ring);
    if (fill == TT_CONFIG_BUFFER_RECORDS) {
        return false;
    }
    if (fill == ring->settled_records) {
        settle_step(ring); /* does nothing when all are counted */
    }
    if (fill == HIGH_WATER_RECORDS && !tt_ring_finalizes(ring)) {
        atomic_store_explicit(&ring->wants_drain, true, memory_order_relaxed);
        tt_port_notify_drain();
    }
    return true;
}

/* The record is of a class that gives way to others while buffers are short. */
static bool gives_way(const tt_ring_t *ring, uint32_t header)
{
    return ((tt_peek(&ring->shed_classes) >> tt_record_class(header)) & 1u) != 0u;
}

/*
 * Between these two the writer opens a buffer or drops; it does neither when the stream has
 * stopped. The drain on another CPU looks at `running` and then at `deciding`: either it sees that
 * the writer is at it, or the writer sees that the stream has stopped.
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

/* No buffer is open: open one, unless none is free or the record gives way. */
static bool begin_buffer(tt_ring_t *ring, uint32_t header, uint32_t now)
{
    ring->settled_records = 0;
    ring->settle_records = 0;
    uint32_t index = tt_ring_find_free(ring);
    if (index == TT_RING_NONE_FREE) {
        drop(ring, header);
        if (ring->policy == TT_POLICY_UNTIL_FULL) {
#if TT_CONFIG_READERS
            ring->lost_ticks = tt_clock_extend(now);
#endif
            tt_set(&tt_ring_stream(ring)->running, false);
            tt_set(&tt_routes_late, true);
        }
        return false;
    }
    bool short_of = few_free(ring);
    if (short_of && gives_way(ring, header)) {
        drop(ring, header);
        return false;
    }
    ring->shedding = short_of;
    open_buffer(ring, index, now);
    settle_step(ring);
    set_limit(ring);
    return true;
}

bool tt_ring_advance(tt_ring_t *ring, uint32_t header, uint32_t now)
{
    if (is_open(ring)) {
        if (go_on(ring)) {
            if (ring->shedding && gives_way(ring, header)) {
                drop(ring, header);
                return false; /* the limit is where it was: come again for the next record */
            }
            set_limit(ring);
            return true;
        }
#if TT_CONFIG_FINALIZE
        if (tt_ring_finalizes(ring)) {
            tt_ring_begin_lap(ring, now);
            set_limit(ring);
            return true;
        }
#endif
        close_buffer(ring);
    }
    bool room = decision_begin(ring) && begin_buffer(ring, header, now);
    decision_end(ring);
    return room;
}

bool tt_ring_at_rest(const tt_ring_t *ring)
{
    return !tt_is_set(&tt_ring_stream(ring)->running)
#if TT_CONFIG_CPUS > 1
           && !tt_is_set(&ring->deciding)
#endif
           && tt_ring_empty(ring);
}

/* This CPU writes the ring; interrupts are masked, so that it stays so. */
static bool is_mine(const tt_ring_t *ring)
{
    return TT_CONFIG_CPUS == 1 ||
           (uint32_t)(ring - &tt_rings[0][0]) % TT_CONFIG_CPUS == tt_port_cpu();
}

/* Returns true when there is more to do: records to be counted by class before they are lost. */
static bool flush_step(tt_ring_t *ring)
{
    bool finalizes = tt_ring_finalizes(ring);
    if (!is_mine(ring)) {
        tt_set(&ring->wants_flush, true);
        return false;
    }
    if ((finalizes && tt_is_set(&tt_ring_stream(ring)->running)) || !is_open(ring)) {
        return false;
    }
    if (finalizes || ring->settled_records >= ring->settle_records) {
        close_buffer(ring);
        return false;
    }
    settle_step(ring);
    set_limit(ring);
    return true;
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

/* The full buffer that was opened first, and its tag; NULL when there is none. */
static tt_buffer_t *oldest_full(tt_ring_t *ring, uint32_t *oldest_tag)
{
    tt_buffer_t *found = NULL;
    for (uint32_t i = 0; i < TT_CONFIG_BUFFERS; i++) {
        uint32_t tag = tt_load(&ring->buffers[i].tag);
        if (state_of(tag) == TT_BUFFER_FULL && (found == NULL || opened_before(tag, *oldest_tag))) {
            found = &ring->buffers[i];
            *oldest_tag = tag;
        }
    }
    return found;
}

/* Take the buffer if it still is what the tag says. */
static bool take_full(tt_buffer_t *buffer, uint32_t tag)
{
    uint32_t sending = tag + (TT_BUFFER_SENDING - TT_BUFFER_FULL);
    return tt_exchange(&buffer->tag, tag, sending);
}

tt_buffer_t *tt_ring_take(tt_ring_t *ring)
{
    /* On another CPU buffers become full, and are written over, behind the search's back. What was
     * opened before a full buffer was full before it, so when a second search finds the same
     * buffer again, nothing older was left for it to find. A writer that overwrites faster than
     * the drain searches is left alone after some searches; there is another step. */
    uint32_t tag_before = TT_BUFFER_FREE;
    for (uint32_t i = 0; i < MAX_SEARCHES; i++) {
        uint32_t tag = 0;
        tt_buffer_t *buffer = oldest_full(ring, &tag);
        if (buffer == NULL) {
            return NULL;
        }
        if (tag == tag_before && take_full(buffer, tag)) {
#if TT_CONFIG_FINALIZE
            tt_ring_straighten(ring, buffer);
#endif
            return buffer;
        }
        tag_before = tag;
    }
    return NULL;
}

void tt_ring_release(tt_ring_t *ring, tt_buffer_t *buffer)
{
    tt_port_key_t key = tt_control_lock(); /* others may read the receipt */
    ring->settled.ordinal = buffer->first_ordinal + buffer->count;
    ring->settled.dropped = buffer->dropped;
    ring->settled.sent += buffer->count;
    tt_store(&buffer->tag, TT_BUFFER_FREE);
    tt_count(&ring->released, 1);
    tt_control_unlock(key);
#if TT_CONFIG_READERS
    tt_set(&ring->is_lent, false);
#endif
}

#if TT_CONFIG_FINALIZE

void tt_ring_close(tt_ring_t *ring)
{
    close_buffer(ring);
}

void tt_ring_settle_lap(tt_ring_t *ring)
{
    settle_step(ring);
}

uint32_t tt_ring_settle_missed(tt_ring_t *ring)
{
    return settle_missed(ring);
}

#endif
