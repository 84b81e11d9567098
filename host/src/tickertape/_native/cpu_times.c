/* Sum CPU time by owner. The reference is `CpuTimes` in model/cpu_time.py. */
#include <stdbool.h>

#include "interface.h"
#include "model_tables.h"

#define IDLE    0
#define UNKNOWN 1

static bool is_known(const tt_cpu_times_job_t *job, int32_t entity)
{
    return entity >= 0 && (uint64_t)entity < job->entity_count && job->place[entity] >= 0 &&
           (uint64_t)job->place[entity] <
               (job->kind[entity] == TT_KIND_CORE ? job->cores : job->rows);
}

/* An owner (row) begins (`way` 1) or stops (-1) using a core at `time`. */
static void step(tt_cpu_times_job_t *job, int64_t row, int64_t core, int64_t time, int64_t way)
{
    uint64_t cell = (uint64_t)row * job->cores + (uint64_t)core;
    job->open[cell] += way;
    uint64_t ticks = (uint64_t)job->ticks[cell];
    job->ticks[cell] = (int64_t)(way > 0 ? ticks - (uint64_t)time : ticks + (uint64_t)time);
    if (time > job->seen[core]) {
        job->seen[core] = time; /* another CPU may end an interval after the core's last record */
    }
}

static void change(tt_cpu_times_job_t *job, const tt_transition_t *row, int64_t account,
                   int64_t core, uint8_t state)
{
    if ((row->before == state) == (row->after == state)) {
        return;
    }
    int64_t time = (int64_t)row->time;
    time = time < job->first ? job->first : time > job->last ? job->last : time;
    step(job, account, core, time, row->after == state ? 1 : -1);
}

int tt_cpu_times_add(tt_cpu_times_job_t *job)
{
    for (uint64_t i = 0; i < job->count; i++) {
        const tt_transition_t *row = &job->transitions[i];
        if (!is_known(job, row->entity) ||
            (row->source != TT_NO_ENTITY && !is_known(job, row->source))) {
            return -1;
        }
        if (job->begun == 0u && row->row <= 0 && row->action == TT_ACTION_LOSE) {
            continue;
        }
        int64_t kind = job->kind[row->entity];
        int64_t place = job->place[row->entity];
        job->mentioned[row->entity] = 1;
        if (kind == TT_KIND_CORE) {
            change(job, row, IDLE, place, TT_STATE_FREE);
            change(job, row, UNKNOWN, place, TT_STATE_UNKNOWN);
        } else if ((kind == TT_KIND_TASK || kind == TT_KIND_INTERRUPT) &&
                   row->source != TT_NO_ENTITY && job->kind[row->source] == TT_KIND_CORE) {
            change(job, row, place, job->place[row->source], TT_STATE_RUNNING);
        }
    }
    return 0;
}
