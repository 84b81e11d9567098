/* Counters for whoever asks on the target. The drain sends the same numbers in STATUS frames. */
#include <stddef.h>

#include "control.h"
#include "ring.h"

/* What the writer knows of its ring; false where this CPU is not the writer's. */
static bool read_own(const tt_ring_t *ring, uint32_t cpu, tt_ring_status_t *status)
{
    tt_port_key_t key = tt_port_lock();
    bool own = cpu == tt_port_cpu();
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

static void read_counters(const tt_ring_t *ring, uint32_t cpu, tt_ring_status_t *status)
{
    status->read = 0;
    if (read_own(ring, cpu, status)) {
        return;
    }
#if TT_CONFIG_CPUS > 1
    uint32_t words[6];
    uint32_t missed;
    uint32_t version;
    do {
        version = atomic_load_explicit(&ring->snapshot.version, memory_order_acquire);
        for (uint32_t i = 0; i < 6u; i++) {
            words[i] = atomic_load_explicit(&ring->snapshot.words[i], memory_order_relaxed);
        }
        missed = atomic_load_explicit(&ring->missed, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
    } while ((version & 1u) != 0u ||
             version != atomic_load_explicit(&ring->snapshot.version, memory_order_relaxed));
    status->offered = (words[0] | (uint64_t)words[1] << 32) + missed;
    status->dropped = (words[2] | (uint64_t)words[3] << 32) + missed;
    status->overwritten = words[4] | (uint64_t)words[5] << 32;
#endif
}

void tt_ring_account(uint32_t stream, uint32_t cpu, tt_receipt_t *settled, tt_ring_status_t *status)
{
    const tt_ring_t *ring = &tt_rings[stream][cpu];
    /* Read first: what the drain sends meanwhile counts as waiting, so that no difference of these
     * counters is negative. */
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
    if (stream >= TT_CONFIG_STREAMS || cpu >= TT_CONFIG_CPUS || status == NULL) {
        return TT_ERROR_ARGUMENT;
    }
    tt_receipt_t settled;
    tt_ring_account(stream, cpu, &settled, status);
    return TT_OK;
}

int tt_class_status(uint32_t stream, uint32_t cpu, uint32_t event_class,
                    tt_wire_class_counters_t *counters)
{
    if (stream >= TT_CONFIG_STREAMS || cpu >= TT_CONFIG_CPUS || event_class >= TT_CLASS_COUNT ||
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
