/*
 * Finalized buffers: a buffer is a circle that keeps its newest records until somebody says that
 * the trace in it is finished.
 *
 *     first lap:     | 0 1 2 . . . . . |        cursor after 2
 *     later laps:    | 8 9 x x x 5 6 7 |        5 to 9 are kept, x is given up already
 *                          ^cursor ^settled
 *
 * Records are given up some at a time, just before the cursor comes to them (settle_step in
 * ring.c), so interrupts stay masked for a bounded time and every record is counted by its class.
 */
#include <stddef.h>

#include "clock.h"
#include "core.h"
#include "record.h"
#include "ring.h"

#if TT_CONFIG_FINALIZE

void tt_ring_begin_lap(tt_ring_t *ring, uint32_t now)
{
    tt_buffer_t *buffer = &ring->buffers[ring->filling];
    tt_ring_counters_begin(ring);
    ring->next_ordinal += TT_CONFIG_BUFFER_RECORDS;
    ring->cursor = ring->base;
    tt_ring_counters_end(ring);
    buffer->ticks = ring->lap_ticks; /* not later than the oldest that is kept */
    ring->lap_ticks = tt_clock_extend(now);
    ring->lapped = true;
    ring->settled_records = 0;
    ring->settle_records = TT_CONFIG_BUFFER_RECORDS;
    tt_ring_settle_lap(ring);
}

static uint32_t filled(const tt_ring_t *ring)
{
    return (uint32_t)(ring->cursor - ring->base);
}

uint32_t tt_ring_kept(const tt_ring_t *ring)
{
    uint32_t older = ring->lapped ? ring->settle_records - ring->settled_records : 0u;
    return filled(ring) + older;
}

static void reverse(tt_record_t *first, tt_record_t *end)
{
    while (first + 1 < end) {
        tt_record_t record = *first;
        *first++ = *--end;
        *end = record;
    }
}

void tt_ring_straighten(tt_ring_t *ring, tt_buffer_t *buffer)
{
    tt_record_t *records = tt_ring_records(ring, buffer);
    tt_record_t *oldest = records + buffer->first_slot;
    tt_record_t *end = records + TT_CONFIG_BUFFER_RECORDS;
    if (oldest != records) {
        reverse(records, oldest);
        reverse(oldest, end);
        reverse(records, end);
        buffer->first_slot = 0;
    }
}

static void give_up(tt_ring_t *ring, uint32_t first, uint32_t end)
{
    const tt_record_t *records = ring->base;
    for (uint32_t i = first; i < end; i++) {
        tt_count(&ring->overwritten_by_class[tt_record_class(records[i].header)], 1);
    }
}

/* Forget the trace; its buffer is the next one to be opened. */
static void lose(tt_ring_t *ring)
{
    uint32_t fill = filled(ring);
    uint32_t kept = tt_ring_kept(ring);
    give_up(ring, 0, fill);
    give_up(ring, fill + TT_CONFIG_BUFFER_RECORDS - kept, TT_CONFIG_BUFFER_RECORDS);
    tt_ring_counters_begin(ring);
    ring->next_ordinal += fill;
    ring->overwritten += kept;
    tt_ring_counters_end(ring);
    tt_store(&ring->buffers[ring->filling].tag, TT_BUFFER_FREE);
    tt_count(&ring->opened, -1u);
    ring->cursor = ring->base;
    ring->limit = ring->base;
    ring->filling = ring->filling == 0u ? ring->buffer_count - 1u : ring->filling - 1u;
}

/* The last record of a trace says which it is. */
static void keep(tt_ring_t *ring, uint32_t stream)
{
    const uint32_t words[2] = {ring->finished, ring->lost_since};
    uint32_t taken = tt_route[TT_ROUTE_TRACER_FINALIZE] & (1u << stream);
    if (taken != 0u) {
        (void)tt_record_words(
            words, TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0, 0, TT_CLASS_TRACER, TT_TRACER_FINALIZE),
            taken, NULL);
    }
    ring->lost_since = 0;
    tt_ring_close(ring);
}

/* A trace that found no free buffer when it began has only dropped records: it is lost as well. */
static int finish(tt_ring_t *ring, uint32_t stream)
{
    bool opened = ring->cursor != ring->base;
    if (opened && tt_ring_find_free(ring) != TT_RING_NONE_FREE) {
        keep(ring, stream);
        return TT_OK;
    }
    if (opened) {
        lose(ring);
    } else if (tt_ring_settle_missed(ring) == 0u) {
        return TT_OK; /* nothing was recorded */
    }
    ring->lost++;
    ring->lost_since++;
    return TT_ERROR_FULL;
}

int tt_finalize(uint32_t stream)
{
    if (stream >= TT_CONFIG_STREAMS) {
        return TT_ERROR_ARGUMENT;
    }
    int result = TT_ERROR_STATE;
    tt_port_key_t key = tt_port_lock();
    tt_ring_t *ring = &tt_rings[stream][tt_port_cpu()];
    if (tt_ring_finalizes(ring)) {
        ring->finished++;
        result = finish(ring, stream);
    }
    tt_port_unlock(key);
    return result;
}

int tt_finalized(uint32_t stream, uint32_t *finished, uint32_t *lost)
{
    if (stream >= TT_CONFIG_STREAMS || finished == NULL || lost == NULL) {
        return TT_ERROR_ARGUMENT;
    }
    tt_port_key_t key = tt_port_lock();
    const tt_ring_t *ring = &tt_rings[stream][tt_port_cpu()];
    *finished = ring->finished;
    *lost = ring->lost;
    tt_port_unlock(key);
    return TT_OK;
}

#else

int tt_finalize(uint32_t stream)
{
    return stream < TT_CONFIG_STREAMS ? TT_ERROR_STATE : TT_ERROR_ARGUMENT;
}

int tt_finalized(uint32_t stream, uint32_t *finished, uint32_t *lost)
{
    if (stream >= TT_CONFIG_STREAMS || finished == NULL || lost == NULL) {
        return TT_ERROR_ARGUMENT;
    }
    *finished = 0;
    *lost = 0;
    return TT_OK;
}

#endif
