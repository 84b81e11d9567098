/* Counters for whoever asks on the target. The drain sends the same numbers in STATUS frames. */
#include <stddef.h>

#include "ring.h"

int tt_ring_status(uint32_t stream, uint32_t cpu, tt_ring_status_t *status)
{
    if (stream >= TT_CONFIG_STREAMS || cpu >= TT_CONFIG_CPUS || status == NULL) {
        return TT_ERROR_ARGUMENT;
    }
    const tt_ring_t *ring = &tt_rings[stream][cpu];
    tt_port_key_t key = tt_port_lock();
    *status = (tt_ring_status_t){
        .offered = tt_ring_offered(ring),
        .dropped = tt_ring_dropped(ring),
        .overwritten = ring->overwritten,
        .sent = ring->settled.sent,
        .high_water_buffers = ring->high_water_buffers,
        .running = atomic_load(&tt_streams[stream].running),
    };
    tt_port_unlock(key);
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
    *counters = (tt_wire_class_counters_t){
        .dropped = ring->dropped_by_class[event_class],
        .overwritten = ring->overwritten_by_class[event_class],
        .sent = ring->sent_by_class[event_class],
    };
    return TT_OK;
}
