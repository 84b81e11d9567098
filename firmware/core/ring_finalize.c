/*
 * Buffers of policy FINALIZE: each is a circle that keeps its newest records until tt_finalize()
 * finishes the trace in it.
 *
 *     first lap:     | 0 1 2 . . . . . |        cursor after 2
 *     later laps:    | 8 9 x x x 5 6 7 |        5 to 9 are kept, x are counted as overwritten
 *                          ^cursor ^settled
 *
 * tt_ring_settle_step() counts a few records as overwritten just before the cursor reaches them, so
 * that masked sections are short and every record is counted by class.
 */
#include "ring_finalize.h"

#include "clock.h"

#if TT_CONFIG_FINALIZE

void tt_ring_begin_lap(tt_ring_t *ring, uint32_t now)
{
    tt_ring_counters_begin(ring);
    ring->next_ordinal += TT_CONFIG_BUFFER_RECORDS;
    ring->cursor = ring->base;
    tt_ring_counters_end(ring, TT_COUNTER_OFFERED | TT_COUNTER_OVERWRITTEN);
    ring->limit = ring->base;               /* there is room after the first settle step */
    ring->filling->ticks = ring->lap_ticks; /* not later than the oldest record kept */
    ring->lap_ticks = tt_clock_extend(now);
    ring->lapped = true;
    ring->settled_records = 0;
    ring->settle_records = TT_CONFIG_BUFFER_RECORDS;
}

/* Advance the time of the buffer with the records that it loses, so that it stays less than a
 * period of the counter before the oldest record kept. CONTINUE and END records repeat the time of
 * their BEGIN, which is older, and are skipped. */
void tt_ring_forget(tt_ring_t *ring, uint32_t stop)
{
    uint64_t ticks = ring->filling->ticks;
    for (uint32_t i = ring->settled_records; i < stop; i++) {
        const tt_record_t *record = &ring->base[i];
        if (tt_record_struct(record->header) <= TT_RECORD_BEGIN) {
            ticks = tt_extend_time(ticks, record->time);
        }
    }
    ring->filling->ticks = ticks;
    ring->overwritten += stop - ring->settled_records;
}

/* Reverse the order of the records from `first` up to `end` (exclusive). */
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

#endif
