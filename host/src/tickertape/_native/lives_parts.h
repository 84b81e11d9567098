/* State of instances and CPUs while transitions are processed. */
#ifndef TICKERTAPE_NATIVE_LIVES_PARTS_H
#define TICKERTAPE_NATIVE_LIVES_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interface.h"
#include "items.h"
#include "model_tables.h"

/* An instance that has not ended, or whose end is unknown; `Life` of answers/life.py. */
typedef struct tt_life {
    struct tt_life *next; /* next open or lost instance, in order */
    struct tt_life *next_waiter;
    struct tt_life *previous_waiter;
    tt_instance_t known;
    tt_items_t blockings; /* tt_blocking_t */
    int64_t unseen;       /* TT_NO_TICKS: unlimited */
    int64_t since;
    int64_t wait_since;
    int64_t event;
    uint64_t row;
    int32_t object;
    int32_t cpu; /* -1: none */
    uint8_t doing;
    bool is_task;
    bool is_pending;
    bool is_waiting;
    bool is_on_core;
    bool is_covered;
    bool is_job;   /* else the life of a task, which a job may take over */
    bool is_none;  /* no job, and no instance of any figure */
    bool is_cut;   /* its thread ends before its completion */
    bool is_taken; /* it took a life over and has not run since */
} tt_life_t;

/* Per entity: its instances; for a lock also its owner and waiters. */
typedef struct tt_lived {
    tt_life_t *open;
    tt_life_t *lost;
    tt_life_t *first_waiter;
    tt_life_t *last_waiter;
    int64_t last_end; /* TT_NO_TICKS: none */
    int32_t owner;
    uint32_t owner_number;
    bool has_owner;
} tt_lived_t;

typedef struct tt_interrupt_key {
    int32_t entity;
    uint32_t number;
} tt_interrupt_key_t;

/* State of one CPU; `CoreLife` of answers/life.py. */
typedef struct tt_life_core {
    tt_items_t interrupts; /* tt_interrupt_key_t */
    tt_items_t covered;    /* tt_life_t * */
    tt_life_t *preempted;
    uint64_t preempted_row;
    int64_t last;
    bool is_known;
} tt_life_core_t;

struct tt_lives {
    const tt_lives_job_t *job;
    tt_lived_t *lived; /* by entity */
    uint64_t lived_room;
    tt_life_core_t cores[TT_LIVES_CPUS];
    uint32_t core_count; /* greatest number of a known CPU, plus 1 */
    tt_items_t instances;
    tt_items_t blockings;
    tt_items_t intervals;
    tt_life_t *unused;
    uint64_t row; /* row of the current transition */
    int64_t time;
    int status;
};

static inline int64_t tt_difference(int64_t end, int64_t begin)
{
    return (int64_t)((uint64_t)end - (uint64_t)begin);
}

static inline int64_t tt_sum(int64_t one, int64_t other)
{
    return (int64_t)((uint64_t)one + (uint64_t)other);
}

/* Return the first open instance with a number; NULL if there is none. */
tt_life_t *tt_life_find(const tt_lived_t *lived, uint32_t number);

/* Add an open instance that is known from now on; NULL, and a status, without memory. */
tt_life_t *tt_life_begin(tt_lives_t *lives, const tt_transition_t *row, bool is_task);

/* Change what an instance does from now on, and close its segment. */
void tt_life_does(tt_lives_t *lives, tt_life_t *life, uint8_t doing, bool resumes);

/* Set the object that a blocked instance waits for. */
void tt_life_waits(tt_lives_t *lives, tt_life_t *life, int32_t object, int64_t event);

/* Apply an action that distinguishes jobs from other instances; see marks.h. */
void tt_life_mark(tt_lives_t *lives, uint8_t action, tt_life_t *life);

/* Add an interval that reports whether the lives of a task so far are jobs. */
void tt_life_settle(tt_lives_t *lives, const tt_life_t *life, int64_t time, bool is_job);

/* Add the time since the last change to the sum for the current activity. */
void tt_life_add_part(tt_life_t *life, int64_t end);

/* Add an instance and its blockings to the results; it has ended by `latest`. */
void tt_life_report(tt_lives_t *lives, tt_life_t *life, int64_t latest);

/* Note that an instance runs on its core from now on. */
void tt_life_runs(tt_lives_t *lives, tt_life_t *life, uint8_t action);

/* Report an open instance up to `end`, without changing it. */
void tt_life_show(tt_lives_t *lives, const tt_life_t *life, int64_t end);

/* End the known part of an instance at `end`. The instance may be freed. */
void tt_life_leave(tt_lives_t *lives, tt_life_t *life, int64_t end, uint32_t ended);

/* Report the lost instances of an entity, which have ended by `latest`. */
void tt_life_resolve(tt_lives_t *lives, tt_lived_t *lived, int64_t latest);

/* Return the state of a CPU, which is known from now on. */
tt_life_core_t *tt_life_core(tt_lives_t *lives, int32_t cpu);

#endif
