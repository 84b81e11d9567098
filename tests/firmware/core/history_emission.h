/*
 * Follows the recording by masked sections: at the end of each section it checks whether the
 * section stored the next record of the innermost emission. Rows of the truth therefore have the
 * order of the rings, even if interrupts and other CPUs record in between. The memory of the ring
 * shows whether a record was stored; the counter of dropped records only gives the place of a
 * dropped record among the others. For history_driver.c only.
 */
#ifndef HISTORY_EMISSION_H
#define HISTORY_EMISSION_H

#include <stdbool.h>

#include "history_truth.h"
#include "tickertape/tickertape.h"

#define STREAMS     TT_CONFIG_STREAMS
#define CPUS        TT_CONFIG_CPUS
#define TIME_HEADER TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0, 0, TT_CLASS_CONTROL, TT_CONTROL_TIME)

/* State of each stream as requested by the driver. */
static struct {
    bool running;
    bool filled; /* stopped by itself: a ring may still use its open buffer */
    bool held;
    bool may_shed;
    uint32_t classes;
} streams[STREAMS];

/* Records passed to the recorder, or a poll of the clock, which may record TIME. */
typedef struct emission {
    const tt_record_t *records; /* NULL: a poll */
    uint32_t count;
    uint32_t next[STREAMS]; /* index of the first record not yet stored or dropped */
    struct emission *outer; /* interrupted emission */
} emission_t;

static emission_t *emitting;
static uint64_t ticks_now;
static uint64_t dropped_so_far[STREAMS][CPUS];
static uint64_t last_time[STREAMS][CPUS]; /* the last TIME record, 0 before the first */

static void emission_reset(void)
{
    memset(streams, 0, sizeof streams);
    memset(dropped_so_far, 0, sizeof dropped_so_far);
    memset(last_time, 0, sizeof last_time);
    for (uint32_t stream = 0; stream < STREAMS; stream++) {
        for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
            tt_ring_reset(&tt_rings[stream][cpu]);
            memset(tt_rings[stream][cpu].records, 0, RING_RECORDS * sizeof(tt_record_t));
        }
    }
}

static void emission_begin(emission_t *emission, const tt_record_t *records, uint32_t count)
{
    *emission = (emission_t){.records = records, .count = count, .outer = emitting};
    emitting = emission;
}

/* Update whether a stream that just dropped a record still runs: UNTIL_FULL stops by itself. */
static void follow_stop(uint32_t stream)
{
    streams[stream].running = tt_is_set(&tt_streams[stream].running);
    streams[stream].filled = !streams[stream].running;
}

static void add_offered(uint32_t stream, const tt_record_t *record, const tt_record_t *found)
{
    row_t *row = add_row(ROW_OFFERED, stream, history_cpu);
    row->header = record->header | history_cpu << TT_RECORD_CPU_FIRST_BIT;
    row->data[0] = record->data[0];
    row->data[1] = record->data[1];
    row->time = ticks_now;
    if (found != NULL) { /* the time stamp is less than a period old */
        row->time -= (uint32_t)((uint32_t)ticks_now - found->time);
        row->opening = opening_of(&tt_rings[stream][history_cpu], found);
    }
}

static bool is_selected(uint32_t stream, const tt_record_t *record)
{
    return ((streams[stream].classes >> tt_record_class(record->header)) & 1u) != 0u;
}

/* Add the record that a masked section stored or dropped, if any; at most one per ring. */
static void look_for_record(emission_t *emission, uint32_t stream, bool dropped)
{
    uint32_t next = emission->next[stream];
    if (next == emission->count || (!dropped && !is_selected(stream, emission->records))) {
        assert(!dropped);
        return;
    }
    const tt_record_t *record = &emission->records[next];
    const tt_record_t *found = find(&tt_rings[stream][history_cpu], history_cpu, record);
    assert(found == NULL || !dropped);
    if (found == NULL && !dropped) {
        return;
    }
    assert(is_selected(stream, record));
    assert(streams[stream].running || (found != NULL && streams[stream].filled));
    add_offered(stream, record, found);
    emission->next[stream]++;
    if (dropped) {
        follow_stop(stream);
    }
}

/* Add TIME records, which go into open buffers regardless of the selection. Other memory may hold
 * bytes of packed buffers, which could look like a TIME record. */
static void look_for_time(uint32_t stream, bool dropped)
{
    const tt_ring_t *ring = &tt_rings[stream][history_cpu];
    uint32_t header = TIME_HEADER | history_cpu << TT_RECORD_CPU_FIRST_BIT;
    uint64_t *last = &last_time[stream][history_cpu];
    for (const tt_record_t *slot = ring->base; slot < ring->cursor; slot++) {
        uint64_t time = (uint64_t)slot->data[0] << 32 | slot->data[1];
        if (slot->header == header && time > *last) {
            assert(!dropped && time <= ticks_now);
            *last = time;
            add_offered(stream, slot, slot);
        }
    }
    if (dropped) {
        const tt_record_t lost = {.header = header};
        add_offered(stream, &lost, NULL);
        follow_stop(stream);
    }
}

/* Check all streams at the end of a masked section of this CPU. */
static void emission_look(void)
{
    for (uint32_t stream = 0; stream < STREAMS; stream++) {
        uint64_t *before = &dropped_so_far[stream][history_cpu];
        uint64_t now = tt_ring_dropped(&tt_rings[stream][history_cpu]);
        uint64_t dropped = now - *before;
        *before = now;
        assert(dropped <= 1u);
        if (emitting == NULL) {
            assert(dropped == 0u);
        } else if (emitting->records == NULL) {
            look_for_time(stream, dropped != 0u);
        } else {
            look_for_record(emitting, stream, dropped != 0u);
        }
    }
}

/* Check that every running stream that selects the records got them, and that no other stream has
 * them. If the thread of an event moved to another CPU, a stream may lack them. */
static void emission_end_at(emission_t *emission, bool moved)
{
    assert(emitting == emission);
    emitting = emission->outer;
    for (uint32_t stream = 0; stream < STREAMS; stream++) {
        for (uint32_t i = emission->next[stream]; i < emission->count; i++) {
            const tt_record_t *record = &emission->records[i];
            assert(moved || !streams[stream].running || !is_selected(stream, record));
            for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
                assert(find(&tt_rings[stream][cpu], cpu, record) == NULL);
            }
        }
    }
}

static void emission_end(emission_t *emission)
{
    emission_end_at(emission, false);
}

#endif
