/* Which thread ran at each event of one CPU; the same as tickertape/model/running.py. */
#ifndef TICKERTAPE_NATIVE_RUNNING_H
#define TICKERTAPE_NATIVE_RUNNING_H

#include <stdint.h>

#define TT_UNKNOWN_THREAD (-1)
#define TT_MANY_CPUS      (-2)

/* Events of one stream in order of time, and where records are missing. */
typedef struct tt_running_job {
    const uint32_t *header;
    const uint32_t *data0;
    const uint32_t *data1;
    const int64_t *gaps; /* rows before which records are missing, ascending */
    uint64_t count;
    uint64_t gap_count;
    uint32_t switch_code; /* class << 10 | event of a context switch */
    int64_t running;      /* who runs before the first row, TT_UNKNOWN_THREAD for nobody knows */
    int64_t *out;         /* one item for each row */
} tt_running_job_t;

/*
 * Fill `out`. Returns who runs behind the last row, or TT_MANY_CPUS when the events are of several
 * CPUs; `out` then means nothing.
 */
int64_t tt_running_column(const tt_running_job_t *job);

#endif
