/* Readers on the target, which take buffers instead of the drain. */
#include "tickertape/read.h"

#include <stddef.h>

#include "record.h"
#include "ring_read.h"
#include "state.h"
#include "target.h"

#if TT_CONFIG_READERS

/* Fill in *reading for a buffer taken. Interrupts are masked. */
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

bool tt_acquire_buffer(uint32_t stream, tt_reading_t *reading)
{
    if (stream >= TT_CONFIG_STREAMS) {
        return false;
    }
    tt_ring_t *ring = &tt_rings[stream][0];
    tt_buffer_t *buffer = tt_ring_acquire_exclusive(ring);
    if (buffer == NULL) {
        tt_ring_flush(ring);
        buffer = tt_ring_acquire_exclusive(ring);
    }
    if (buffer != NULL) {
        tt_port_key_t key = tt_port_lock();
        describe(ring, buffer, reading);
        tt_port_unlock(key);
    }
    return buffer != NULL;
}

/* Records that one masked section counts by class. */
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

/* Return whether the reader of the stream has this buffer, that is, has not released it. */
static bool is_lent(uint32_t stream, const tt_reading_t *reading)
{
    for (uint32_t i = 0; stream < TT_CONFIG_STREAMS && i < TT_CONFIG_BUFFERS; i++) {
        const tt_buffer_t *buffer = &tt_rings[stream][0].buffers[i];
        if (buffer == reading->buffer) {
            return tt_buffer_state(tt_load(&buffer->tag)) == TT_BUFFER_SENDING &&
                   buffer->sequence == reading->header.sequence;
        }
    }
    return false;
}

void tt_release_buffer(uint32_t stream, const tt_reading_t *reading, uint32_t read_count)
{
    if (!is_lent(stream, reading)) {
        return;
    }
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
    if (stream >= TT_CONFIG_STREAMS) {
        return 0;
    }
    tt_port_key_t key = tt_port_lock();
    for (uint32_t i = 0; i < tt_rings[stream][0].buffer_count; i++) {
        used += (tt_load(&tt_rings[stream][0].buffers[i].tag) & 3u) != TT_BUFFER_FREE;
    }
    tt_port_unlock(key);
    return used;
}

uint32_t tt_buffers(uint32_t stream)
{
    return stream < TT_CONFIG_STREAMS ? tt_rings[stream][0].buffer_count : 0u;
}

uint64_t tt_full_ticks(uint32_t stream)
{
    if (stream >= TT_CONFIG_STREAMS) {
        return 0;
    }
    tt_port_key_t key = tt_port_lock();
    uint64_t ticks = tt_rings[stream][0].lost_ticks;
    tt_port_unlock(key);
    return ticks;
}

/* Return whether a stream exists. Before tt_init() rings have no buffers, so no stream may run. */
static bool can_run(uint32_t stream)
{
    return stream < TT_CONFIG_STREAMS && tt_target() != NULL;
}

void tt_run_closed(uint32_t stream, bool run)
{
    if (can_run(stream)) {
        tt_set_running(stream, run);
    }
}

/* Let the stream run for one step, which stores the record or makes room for it. Returns true when
 * more steps are needed. */
static bool record_step(uint32_t stream, uint32_t header, const uint32_t words[2])
{
    tt_ring_t *ring = &tt_rings[stream][0];
    bool more = false;
    tt_set_running(stream, true);
    if (!tt_ring_has_room(ring)) {
        more = tt_ring_advance(ring, header, tt_port_ticks());
    } else {
        tt_record_words(words, header, 1u << stream, NULL);
    }
    tt_set_running(stream, false);
    return more;
}

void tt_record_closed(uint32_t stream, uint32_t header, uint32_t data0, uint32_t data1)
{
    const uint32_t words[2] = {data0, data1};
    bool more = can_run(stream);
    while (more) {
        tt_port_key_t key = tt_port_lock();
        more = record_step(stream, header, words);
        tt_port_unlock(key);
    }
}

bool tt_is_running(uint32_t stream)
{
    return stream < TT_CONFIG_STREAMS && tt_is_set(&tt_streams[stream].running);
}

void tt_record_state(uint32_t stream)
{
    if (can_run(stream)) {
        tt_state_dump(stream);
    }
}

#endif
