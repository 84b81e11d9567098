/* Readers on the target: they take buffers where the drain would. */
#include "tickertape/read.h"

#include <stddef.h>

#include "ring_read.h"
#include "route.h"
#include "state.h"

#if TT_CONFIG_READERS

static void describe(tt_ring_t *ring, tt_buffer_t *buffer, tt_reading_t *reading)
{
    const tt_receipt_t *before = &ring->settled;
    uint64_t gap = buffer->first_ordinal - before->ordinal;
    *reading = (tt_reading_t){
        .records = tt_ring_records(ring, buffer),
        .count = buffer->count,
        .ticks = buffer->ticks,
        .overwritten_count = gap - (buffer->dropped - before->dropped),
        .lost_ticks = ring->lost_ticks,
        .header =
            {
                .first_ordinal = buffer->first_ordinal,
                .dropped = buffer->dropped,
                .sent = before->sent,
                .ticks = buffer->ticks,
                .sequence = buffer->sequence,
                .count = (uint16_t)buffer->count,
                .ring_number = (uint8_t)(buffer - ring->buffers),
            },
        .buffer = buffer,
    };
    if (reading->overwritten_count != 0u) {
        ring->losing = false;
    }
}

bool tt_take(uint32_t stream, tt_reading_t *reading)
{
    tt_ring_t *ring = &tt_rings[stream][0];
    tt_buffer_t *buffer = tt_ring_take_alone(ring);
    if (buffer == NULL) {
        tt_ring_flush(ring);
        buffer = tt_ring_take_alone(ring);
    }
    if (buffer != NULL) {
        tt_port_key_t key = tt_port_lock();
        describe(ring, buffer, reading);
        tt_port_unlock(key);
    }
    return buffer != NULL;
}

/* Records per masked section. */
#define STEP_RECORDS 8u

static void count_classes(tt_ring_t *ring, const tt_reading_t *reading)
{
    for (uint32_t begin = 0; begin < reading->count; begin += STEP_RECORDS) {
        uint32_t end = begin + STEP_RECORDS;
        end = end < reading->count ? end : reading->count;
        tt_port_key_t key = tt_port_lock();
        for (uint32_t i = begin; i < end; i++) {
            uint32_t event_class = tt_record_class(reading->records[i].header);
            tt_count(&ring->overwritten_by_class[event_class], 1);
        }
        tt_port_unlock(key);
    }
}

void tt_give_back(uint32_t stream, const tt_reading_t *reading, uint32_t read_count)
{
    tt_ring_t *ring = &tt_rings[stream][0];
    tt_buffer_t *buffer = reading->buffer;
    count_classes(ring, reading);
    tt_port_key_t key = tt_port_lock();
    ring->settled.ordinal = buffer->first_ordinal + reading->count;
    ring->settled.dropped = buffer->dropped;
    ring->overwritten += reading->count;
    ring->read += read_count;
    tt_store(&buffer->tag, TT_BUFFER_FREE);
    tt_count(&ring->released, 1);
    tt_port_unlock(key);
    tt_set(&ring->is_lent, false);
}

uint32_t tt_buffers_in_use(uint32_t stream)
{
    uint32_t used = 0;
    tt_port_key_t key = tt_port_lock();
    for (uint32_t i = 0; i < tt_rings[stream][0].buffer_count; i++) {
        used += (tt_load(&tt_rings[stream][0].buffers[i].tag) & 3u) != TT_BUFFER_FREE;
    }
    tt_port_unlock(key);
    return used;
}

uint32_t tt_buffers(uint32_t stream)
{
    return tt_rings[stream][0].buffer_count;
}

uint64_t tt_full_ticks(uint32_t stream)
{
    tt_port_key_t key = tt_port_lock();
    uint64_t ticks = tt_rings[stream][0].lost_ticks;
    tt_port_unlock(key);
    return ticks;
}

bool tt_selected(uint32_t stream, uint32_t event_class, uint32_t event)
{
    tt_route_range_t range = tt_route_range(event_class, event);
    return range != 0u && tt_route_selected(stream, tt_route_range_first(range));
}

void tt_run_closed(uint32_t stream, bool run)
{
    tt_set_running(stream, run);
}

bool tt_is_running(uint32_t stream)
{
    return tt_is_set(&tt_streams[stream].running);
}

void tt_record_state(uint32_t stream)
{
    tt_state_dump(stream);
}

#endif
