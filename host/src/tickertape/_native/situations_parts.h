/* State of the search for situations. */
#ifndef TICKERTAPE_NATIVE_SITUATIONS_PARTS_H
#define TICKERTAPE_NATIVE_SITUATIONS_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interface.h"
#include "items.h"
#include "map.h"
#include "model_tables.h"
#include "scene.h"

/* A wait of a task for a mutex; `_Wait` of answers/situations.py. */
typedef struct tt_mutex_wait {
    int64_t since;
    int64_t ticks;
    int64_t late_ticks;
    tt_items_t others; /* tt_share_t */
    int32_t entity;
    int32_t mutex;
    int32_t late; /* TT_NO_ENTITY: none */
} tt_mutex_wait_t;

/* A mutex that stays locked by a task that ended. */
typedef struct tt_abandoned {
    int64_t time; /* end of the owner */
    int64_t since;
    tt_items_t waiters; /* tt_share_t */
    int32_t mutex;
    int32_t owner;
} tt_abandoned_t;

/* The last wake-up of a condition that woke no task. */
typedef struct tt_wakeup {
    int64_t time;
    int32_t by;
} tt_wakeup_t;

/* A wait for a condition that began after its wake-up. */
typedef struct tt_missed {
    int64_t condition;
    int64_t taken;
    int64_t woken;
    int64_t since;
    int32_t task;
    int32_t mutex;
    int32_t by;
} tt_missed_t;

/* What is known of an entity beside the scene. All zeros is the begin. */
typedef struct tt_watched {
    int64_t stretch_begin;
    int64_t rests_from;
    int64_t taken;           /* mutex: time of its last take plus one; 0: none */
    uint64_t switches;       /* core: number of switches to another task */
    uint64_t woken_switches; /* task: `switches` of its core when it became ready */
    int32_t woken_core;
    int32_t last_task; /* core: last task that ran, plus one */
    bool is_woken;
    bool is_in; /* a stretch is open */
    bool is_known;
    bool is_suspended;
    bool is_abandoned;
} tt_watched_t;

struct tt_situations {
    const tt_situations_job_t *job;
    tt_scene_t scene;
    tt_watched_t *watched; /* by entity, as many as the scene has */
    tt_map_t priorities;   /* of threads, plus one */
    tt_map_t tasks;        /* of threads, plus one */
    tt_map_t wakeup_of;    /* index in `wakeups` of a condition, plus one */
    tt_items_t waits;      /* tt_mutex_wait_t */
    tt_items_t abandoned;  /* tt_abandoned_t */
    tt_items_t wakeups;    /* tt_wakeup_t */
    tt_items_t missed;     /* tt_missed_t */
    tt_items_t rows;       /* tt_situation_t */
    tt_items_t shares;     /* tt_share_t */
    int64_t limit;
    int64_t now;
    bool has_doubt;
    int status;
};

static inline tt_mutex_wait_t *tt_wait_at(const tt_situations_t *situations, uint64_t at)
{
    return &((tt_mutex_wait_t *)situations->waits.items)[at];
}

/* Charge the ticks of a late task to the kernel. */
static inline void tt_wait_forget_late(tt_mutex_wait_t *wait)
{
    wait->late = TT_NO_ENTITY;
    wait->late_ticks = 0;
}

/* Add a situation with its shares. */
void tt_situation_add(tt_situations_t *situations, tt_situation_t row, const tt_share_t *shares,
                      uint64_t count);

/* Add ticks, in which the scene does not change, to each wait during which a less urgent task has
 * the CPU that the last owner wants. Negative ticks take them back. */
void tt_waits_account(tt_situations_t *situations, int64_t ticks);

/* Decide on late tasks when one of them leaves its CPU, or another one gets it. */
void tt_waits_settle(tt_situations_t *situations, const tt_transition_t *row);

/* Begin and end waits by a transition of a task. */
void tt_waits_take(tt_situations_t *situations, const tt_transition_t *row);

/* Report a wait up to a time. */
void tt_wait_show(tt_situations_t *situations, const tt_mutex_wait_t *wait, int64_t time);

/* Note that a task begins to wait for a mutex, which an ended thread may own. */
void tt_abandoned_wait(tt_situations_t *situations, const tt_transition_t *row);

/* Note a wait whose wake-up came while the task had the mutex that it waits with. */
void tt_wakeups_wait(tt_situations_t *situations, const tt_noted_t *event);

/* Note a wake-up of a condition, and end the waits of the tasks that it wakes. */
void tt_wakeups_wake(tt_situations_t *situations, const tt_noted_t *event);

/* End the wait of a task for a condition, if it missed a wake-up. */
void tt_wakeups_end(tt_situations_t *situations, int32_t task, int64_t time);

/* Report the open waits after a missed wake-up, up to a time. */
void tt_wakeups_show(tt_situations_t *situations, int64_t time);

#endif
