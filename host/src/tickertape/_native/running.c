/* Compute the running thread at each event of one CPU. The reference is model/running.py. */
#include "interface.h"

#include <stdbool.h>

#define CODE_MASK 0x7fffu
#define CPU_BITS  0x3f000000u

/* Set the thread of the rows from `first` up to `end`. */
static void fill(int64_t *out, uint64_t first, uint64_t end, int64_t thread)
{
    for (uint64_t row = first; row < end; row++) {
        out[row] = thread;
    }
}

/* Process the rows from `begin` up to `end`, without a gap; return the thread after them. */
static int64_t take_stretch(const tt_running_job_t *job, uint64_t begin, uint64_t end,
                            int64_t running)
{
    uint64_t open =
        begin; /* rows from here on get their thread from the next switch, if it is unknown */
    uint32_t odd = 0;
    for (uint64_t row = begin; row < end; row++) {
        uint32_t header = job->header[row];
        odd |= header ^ job->header[0];
        job->out[row] = running == TT_BLIND_THREAD ? TT_UNKNOWN_THREAD : running;
        if ((header & CODE_MASK) == job->switch_code) {
            if (running == TT_UNKNOWN_THREAD) {
                fill(job->out, open, row + 1u, job->data0[row]);
            }
            running = job->data1[row];
            open = row + 1u;
        }
    }
    return (odd & CPU_BITS) != 0u ? TT_MANY_CPUS : running;
}

int64_t tt_running_column(const tt_running_job_t *job)
{
    int64_t running = job->running;
    uint64_t begin = 0;
    for (uint64_t loss = 0; loss < job->loss_count; loss++) {
        uint64_t row = (uint64_t)job->losses[loss] >> 1;
        running = take_stretch(job, begin, row, running);
        if (running == TT_MANY_CPUS) {
            return running;
        }
        bool is_break = ((uint64_t)job->losses[loss] & 1u) != 0u;
        running = is_break || running == TT_BLIND_THREAD ? TT_BLIND_THREAD : TT_UNKNOWN_THREAD;
        begin = row;
    }
    return take_stretch(job, begin, job->count, running);
}
