/*
 * The reading side of a ring: the drain, or a reader on the target, takes full buffers and releases
 * them. Any context reads the counters.
 */
#include "ring_read.h"

#include <stddef.h>

#include "control_lock.h"
#include "ring_finalize.h"

/* Searches for the oldest buffer in one call of tt_ring_acquire(), at most. */
#define MAX_SEARCHES 8u

/* Return whether a buffer was opened before another one, by their tags. */
static bool opened_before(uint32_t tag, uint32_t other)
{
    return (int32_t)((tag & ~3u) - (other & ~3u)) < 0;
}

/* Return the FULL buffer that was opened first and store its tag; NULL when there is none. */
static tt_buffer_t *oldest_full(tt_ring_t *ring, uint32_t *oldest_tag)
{
    tt_buffer_t *found = NULL;
    for (uint32_t i = 0; i < TT_CONFIG_BUFFERS; i++) {
        uint32_t tag = tt_load(&ring->buffers[i].tag);
        if (tt_buffer_state(tag) == TT_BUFFER_FULL &&
            (found == NULL || opened_before(tag, *oldest_tag))) {
            found = &ring->buffers[i];
            *oldest_tag = tag;
        }
    }
    return found;
}

/* Make a FULL buffer SENDING if it still has this tag. Returns whether it had. */
static bool take_full(tt_buffer_t *buffer, uint32_t tag)
{
    uint32_t sending = tag + (TT_BUFFER_SENDING - TT_BUFFER_FULL);
    return tt_exchange(&buffer->tag, tag, sending);
}

tt_buffer_t *tt_ring_acquire(tt_ring_t *ring)
{
    /* A writer on another CPU fills and overwrites buffers during the search. Buffers become full
     * in the order in which they were opened, so if a second search finds the same buffer, no older
     * one exists. If the writer overwrites buffers faster than the drain searches, the drain stops
     * after MAX_SEARCHES and tries again in its next step. */
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
    tt_port_key_t key = tt_control_lock(); /* other contexts may read the receipt */
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

#if TT_CONFIG_DRAIN_SLICE
void tt_ring_settle_part(tt_ring_t *ring, const tt_buffer_t *buffer, uint32_t count)
{
    tt_port_key_t key = tt_control_lock();
    ring->settled.ordinal = buffer->first_ordinal + count;
    ring->settled.dropped = buffer->dropped;
    ring->settled.sent += count;
    tt_control_unlock(key);
}
#endif

#if TT_CONFIG_READERS
/* No interrupts need be masked: taking a buffer is one atomic operation, and only its owner
 * accesses a buffer that was taken. */
tt_buffer_t *tt_ring_acquire_exclusive(tt_ring_t *ring)
{
    if (atomic_exchange(&ring->is_lent, true)) {
        return NULL;
    }
    tt_buffer_t *buffer = tt_ring_acquire(ring);
    tt_set(&ring->is_lent, buffer != NULL);
    return buffer;
}

#endif

/* Read the counters of a ring that this CPU writes. Returns false, and reads nothing, for another
 * CPU's ring. */
static bool read_own(const tt_ring_t *ring, uint32_t cpu, tt_ring_status_t *status)
{
    tt_port_key_t key = tt_port_lock();
    bool own = TT_RING_CPUS == 1 || cpu == tt_port_cpu();
    if (own) {
        status->offered = tt_ring_offered(ring);
        status->dropped = tt_ring_dropped(ring);
        status->overwritten = ring->overwritten;
#if TT_CONFIG_READERS
        status->read = ring->read;
#endif
    }
    tt_port_unlock(key);
    return own;
}

/* Read the counters of a ring: of another CPU from the snapshot, again if it changed meanwhile. */
static void read_counters(const tt_ring_t *ring, uint32_t cpu, tt_ring_status_t *status)
{
    status->read = 0;
    if (read_own(ring, cpu, status)) {
        return;
    }
#if TT_CONFIG_CPUS > 1
    uint32_t words[6];
    uint32_t pending_drops;
    uint32_t version;
    do {
        version = atomic_load_explicit(&ring->snapshot.version, memory_order_acquire);
        for (uint32_t i = 0; i < 6u; i++) {
            words[i] = atomic_load_explicit(&ring->snapshot.words[i], memory_order_relaxed);
        }
        pending_drops = atomic_load_explicit(&ring->pending_drops, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
    } while ((version & 1u) != 0u ||
             version != atomic_load_explicit(&ring->snapshot.version, memory_order_relaxed));
    status->offered = (words[0] | (uint64_t)words[1] << 32) + pending_drops;
    status->dropped = (words[2] | (uint64_t)words[3] << 32) + pending_drops;
    status->overwritten = words[4] | (uint64_t)words[5] << 32;
#endif
}

void tt_ring_account(uint32_t stream, uint32_t cpu, tt_receipt_t *settled, tt_ring_status_t *status)
{
    const tt_ring_t *ring = &tt_rings[stream][cpu];
    /* The receipt is read first: records that the drain sends meanwhile then count as waiting, and
     * no difference of these counters is negative. */
    tt_port_key_t key = tt_control_lock();
    *settled = ring->settled;
    tt_control_unlock(key);
    read_counters(ring, cpu, status);
    status->sent = settled->sent;
    status->high_water_buffers = tt_peek(&ring->high_water_buffers);
    status->running = tt_is_set(&tt_streams[stream].running);
}

int tt_ring_status(uint32_t stream, uint32_t cpu, tt_ring_status_t *status)
{
    if (stream >= TT_CONFIG_STREAMS || cpu >= TT_RING_CPUS || status == NULL) {
        return TT_ERROR_ARGUMENT;
    }
    tt_receipt_t settled;
    tt_ring_account(stream, cpu, &settled, status);
    return TT_OK;
}

int tt_class_status(uint32_t stream, uint32_t cpu, uint32_t event_class,
                    tt_wire_class_counters_t *counters)
{
    if (stream >= TT_CONFIG_STREAMS || cpu >= TT_RING_CPUS || event_class >= TT_CLASS_COUNT ||
        counters == NULL) {
        return TT_ERROR_ARGUMENT;
    }
    const tt_ring_t *ring = &tt_rings[stream][cpu];
    counters->dropped =
        atomic_load_explicit(&ring->dropped_by_class[event_class], memory_order_relaxed);
    counters->overwritten =
        atomic_load_explicit(&ring->overwritten_by_class[event_class], memory_order_relaxed);
    counters->sent = atomic_load_explicit(&ring->sent_by_class[event_class], memory_order_relaxed);
    return TT_OK;
}
