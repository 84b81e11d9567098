/*
 * Convert transitions to slices on tracks, as columns or as packets. The reference is
 * `Timeline.slices` in formats/timeline/timeline.py.
 */
#include "interface.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "model_tables.h"
#include "packets.h"

/* Difference between the numbers of neighbouring tracks of the same kind. */
#define TT_TIMELINE_STRIDE 4

#define NS_PER_S    UINT64_C(1000000000)
#define LAST_SECOND (UINT64_C(0x7fffffffffffffff) / NS_PER_S - 1u)
#define AS_IT_WAS   (-1)
#define NOWHERE     (-1)
#define NO_TIME     (-1)

struct tt_timeline {
    tt_map_t flows; /* channel << 32 | number of the message -> flow */
    uint64_t flow_count;
    uint64_t last_step[TT_TIMELINE_CPUS]; /* index of the last step of the load + 1; 0: none */
};

/* State of one call, read and written for every transition. All functions on it are inlined, so
 * that no other pointer can alias it and the compiler can keep it in registers between stores of
 * bytes. */
typedef struct tt_work {
    tt_timeline_job_t job;
    tt_packet_head_t head; /* first bytes of packets at time head_ns */
    int64_t head_ns;       /* NO_TIME: none */
} tt_work_t;

#define INLINE static inline __attribute__((always_inline))

INLINE void begin_time(tt_work_t *work, int64_t time)
{
    if (work->job.packets_end != NULL && time != work->head_ns) {
        work->head_ns = time;
        tt_packet_begin(&work->head, time);
    }
}

tt_timeline_t *tt_timeline_new(void)
{
    return calloc(1, sizeof(tt_timeline_t));
}

void tt_timeline_free(tt_timeline_t *timeline)
{
    if (timeline != NULL) {
        tt_map_clear(&timeline->flows);
        free(timeline);
    }
}

void tt_timeline_begin(tt_timeline_t *timeline)
{
    tt_map_clear(&timeline->flows);
}

INLINE void put(tt_work_t *work, int64_t time, uint8_t phase, int64_t track, int64_t word,
                int64_t flow)
{
    tt_timeline_job_t *job = &work->job;
    job->slices += phase != TT_PHASE_END;
    if (job->packets_end != NULL) {
        job->packets_end = tt_packet_put(job->packets_end, &work->head, phase, track, word, flow);
        return;
    }
    uint64_t at = job->written++;
    job->time_ns[at] = time;
    job->phase[at] = phase;
    job->track[at] = track;
    job->word[at] = word;
    job->flow[at] = flow;
}

/* The lowest bits of a track number are reserved for the kind of track: see `Timeline._numbers`. */
static int64_t entity_track(const tt_timeline_job_t *job, int64_t entity)
{
    return job->entity_tracks + TT_TIMELINE_STRIDE * entity;
}

static int64_t core_track(const tt_timeline_job_t *job, int64_t core)
{
    return job->core_tracks + TT_TIMELINE_STRIDE * core;
}

/* Add a step of the load: a process begins or stops running. Steps of one CPU at the same time are
 * added up. */
INLINE void put_step(tt_timeline_t *timeline, tt_timeline_job_t *job, int64_t cpu, int64_t time,
                     int64_t step)
{
    uint64_t last = timeline->last_step[cpu];
    if (last != 0u && job->load_ns[last - 1u] == time) {
        job->load_step[last - 1u] += step;
        return;
    }
    uint64_t at = job->load_count++;
    job->load_cpu[at] = cpu;
    job->load_ns[at] = time;
    job->load_step[at] = step;
    timeline->last_step[cpu] = at + 1u;
}

static bool is_process(int64_t kind)
{
    return kind == TT_KIND_TASK || kind == TT_KIND_INTERRUPT;
}

static bool is_on_core(uint8_t state)
{
    return state == TT_STATE_RUNNING || state == TT_STATE_POLLING;
}

/* Return the word of the slice that is open after a transition; AS_IT_WAS for no change. */
INLINE int64_t now_open(const tt_timeline_job_t *job, const tt_transition_t *row, int64_t kind)
{
    if (is_process(kind) || kind == TT_KIND_RUNNABLE) {
        return job->state_words[row->after];
    }
    if (kind != TT_KIND_MUTEX) {
        return AS_IT_WAS;
    }
    switch (row->action) {
    case TT_ACTION_TAKE:
    case TT_ACTION_ASSIGN:
    case TT_ACTION_GRANT:
        return row->source == TT_NO_ENTITY ? AS_IT_WAS : job->name[row->source];
    case TT_ACTION_GIVE:
    case TT_ACTION_LOSE:
        return 0;
    default:
        return AS_IT_WAS;
    }
}

INLINE void put_change(tt_work_t *work, tt_timeline_t *timeline, const tt_transition_t *row,
                       int64_t time, int64_t word)
{
    tt_timeline_job_t *job = &work->job;
    int32_t entity = row->entity;
    int64_t kind = job->kind[entity];
    int64_t before = job->open[entity];
    if (word == before && (kind != TT_KIND_MUTEX || word == 0)) {
        return;
    }
    int64_t core_before = job->core[entity];
    int64_t core_now = is_on_core(row->after) && is_process(kind) ? row->cpu : NOWHERE;
    if (row->action == TT_ACTION_LOSE && time < job->since[entity]) {
        time = job->since[entity]; /* the lost slice may have begun later, on another CPU */
    }
    begin_time(work, time);
    int64_t own = entity_track(job, entity);
    if (before != 0) {
        put(work, time, TT_PHASE_END, own, before, 0);
    }
    if (core_before >= 0 && core_before != core_now) {
        put(work, time, TT_PHASE_END, core_track(job, core_before), job->name[entity], 0);
    }
    if (word != 0) {
        put(work, time, TT_PHASE_BEGIN, own, word, 0);
        job->entities[entity] = 1;
    }
    if (core_now >= 0 && core_before != core_now) {
        put(work, time, TT_PHASE_BEGIN, core_track(job, core_now), job->name[entity], 0);
        job->cores[core_now] = 1;
    }
    if (core_before != core_now) {
        if (core_before >= 0) {
            put_step(timeline, job, core_before, time, -1);
        }
        if (core_now >= 0) {
            put_step(timeline, job, core_now, time, 1);
        }
    }
    job->open[entity] = word;
    job->core[entity] = core_now;
    job->since[entity] = time;
}

/* Return the flow of a message: positive if sent, negative if received, 0 if unknown. */
static int64_t flow_of(tt_timeline_t *timeline, const tt_transition_t *row, int *status)
{
    if (row->value == TT_NOT_KNOWN || row->action == TT_ACTION_REPLY) {
        return 0;
    }
    uint64_t key = (uint64_t)(uint32_t)row->entity << 32 | (uint32_t)row->value;
    if (row->action == TT_ACTION_RECEIVE) {
        return -(int64_t)tt_map_pop(&timeline->flows, key);
    }
    timeline->flow_count++;
    if (!tt_map_set(&timeline->flows, key, timeline->flow_count)) {
        *status = TT_TIMELINE_NO_MEMORY;
    }
    return (int64_t)timeline->flow_count;
}

INLINE int put_message(tt_work_t *work, tt_timeline_t *timeline, const tt_transition_t *row,
                       int64_t time)
{
    tt_timeline_job_t *job = &work->job;
    begin_time(work, time);
    int status = TT_TIMELINE_DONE;
    uint32_t which = row->action == TT_ACTION_SEND      ? 0u
                     : row->action == TT_ACTION_RECEIVE ? 1u
                                                        : 2u;
    int64_t word = job->message[3 * (uint64_t)row->entity + which];
    int64_t flow = flow_of(timeline, row, &status);
    job->flows += flow < 0;
    put(work, time, TT_PHASE_MOMENT, entity_track(job, row->source), word, flow);
    job->entities[row->source] = 1;
    return status;
}

static bool is_message(uint8_t action)
{
    return action == TT_ACTION_SEND || action == TT_ACTION_RECEIVE || action == TT_ACTION_REPLY;
}

INLINE bool is_known(const tt_timeline_job_t *job, const tt_transition_t *row)
{
    return row->entity >= 0 && (uint64_t)row->entity < job->entity_count &&
           row->source >= TT_NO_ENTITY && (int64_t)row->source < (int64_t)job->entity_count &&
           row->after < TT_STATE_COUNT && row->cpu < TT_TIMELINE_CPUS;
}

INLINE bool has_room(const tt_timeline_job_t *job)
{
    return job->packets_end == NULL || (uint64_t)(job->packets_limit - job->packets_end) >=
                                           TT_TIMELINE_SLOTS * TT_PACKET_MOST_BYTES;
}

/* Convert ticks to nanoseconds, rounded down; NO_TIME if they do not fit into 63 bits. `factor`:
 * nanoseconds per tick if that is a whole number, else 0. */
INLINE int64_t time_ns(uint64_t ticks, uint64_t tick_hz, uint64_t factor)
{
    if (factor != 0u) {
        return ticks < (LAST_SECOND + 1u) * tick_hz ? (int64_t)(ticks * factor) : NO_TIME;
    }
    uint64_t whole = ticks / tick_hz;
    if (whole > LAST_SECOND) {
        return NO_TIME;
    }
    return (int64_t)(whole * NS_PER_S + ticks % tick_hz * NS_PER_S / tick_hz);
}

int tt_timeline_slices(tt_timeline_t *timeline, tt_timeline_job_t *given)
{
    tt_work_t work = {.job = *given, .head_ns = NO_TIME};
    tt_timeline_job_t *job = &work.job;
    uint64_t ticks = 0;
    int64_t time = 0;
    uint64_t factor = NS_PER_S % job->tick_hz == 0u ? NS_PER_S / job->tick_hz : 0u;
    int status = TT_TIMELINE_DONE;
    if (job->row == 0u) {
        memset(timeline->last_step, 0, sizeof timeline->last_step);
    }
    for (; job->row < job->count && status == TT_TIMELINE_DONE && has_room(job); job->row++) {
        const tt_transition_t *row = &job->transitions[job->row];
        if (!is_known(job, row)) {
            status = TT_TIMELINE_NO_ENTITY;
            break;
        }
        if (row->time != ticks) {
            ticks = row->time;
            time = time_ns(ticks, job->tick_hz, factor);
            if (time < 0) {
                status = TT_TIMELINE_TOO_LATE;
                break;
            }
        }
        int64_t word = now_open(job, row, job->kind[row->entity]);
        if (word != AS_IT_WAS) {
            put_change(&work, timeline, row, time, word);
        } else if (is_message(row->action) && row->source != TT_NO_ENTITY) {
            status = put_message(&work, timeline, row, time);
        }
    }
    *given = work.job;
    return status;
}
