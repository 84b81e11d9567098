/*
 * Find situations in the transitions of one boot: inversions, deadlocks, starvation and the like.
 * The reference is `Situations` in answers/situations.py.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "model_tables.h"
#include "scene.h"
#include "situations_parts.h"

tt_situations_t *tt_situations_new(int64_t limit)
{
    tt_situations_t *situations = calloc(1, sizeof *situations);
    if (situations != NULL) {
        situations->limit = limit;
    }
    return situations;
}

static void free_shares(tt_items_t *list, size_t item_bytes, size_t offset)
{
    for (uint64_t i = 0; i < list->count; i++) {
        tt_items_t *shares =
            (tt_items_t *)(void *)((uint8_t *)list->items + i * item_bytes + offset);
        free(shares->items);
    }
    free(list->items);
}

void tt_situations_free(tt_situations_t *situations)
{
    if (situations == NULL) {
        return;
    }
    tt_scene_clear(&situations->scene);
    tt_map_clear(&situations->priorities);
    tt_map_clear(&situations->tasks);
    tt_map_clear(&situations->wakeup_of);
    free_shares(&situations->waits, sizeof(tt_mutex_wait_t), offsetof(tt_mutex_wait_t, others));
    free_shares(&situations->abandoned, sizeof(tt_abandoned_t), offsetof(tt_abandoned_t, waiters));
    free(situations->wakeups.items);
    free(situations->missed.items);
    free(situations->rows.items);
    free(situations->shares.items);
    free(situations->watched);
    free(situations);
}

void tt_situation_add(tt_situations_t *situations, tt_situation_t row, const tt_share_t *shares,
                      uint64_t count)
{
    row.first_share = situations->shares.count;
    for (uint64_t i = 0; i < count; i++) {
        tt_share_t *share = tt_items_add(&situations->shares, sizeof *share, &situations->status);
        if (share == NULL) {
            return;
        }
        *share = shares[i];
    }
    row.shares = (uint32_t)count;
    tt_situation_t *kept = tt_items_add(&situations->rows, sizeof *kept, &situations->status);
    if (kept != NULL) {
        *kept = row;
    }
}

static void advance(tt_situations_t *situations, int64_t time)
{
    if (time > situations->now) {
        tt_waits_account(situations, time - situations->now);
        situations->now = time;
    }
}

/* Mutexes of ended threads ------------------------------------------------------------------- */

static void abandon(tt_situations_t *situations, uint32_t tid, int64_t time)
{
    const tt_scene_t *scene = &situations->scene;
    uint64_t task = tt_map_get(&situations->tasks, tid);
    if (task == 0u || scene->items[task - 1u].owned == 0u) {
        return;
    }
    for (uint64_t i = 0; i < scene->mutexes.count; i++) {
        int32_t mutex = scene->mutexes.entities[i];
        const tt_scene_item_t *item = &scene->items[mutex];
        if (item->is_left || item->owner != (int32_t)(task - 1u) ||
            situations->watched[mutex].is_abandoned) {
            continue;
        }
        tt_abandoned_t *one =
            tt_items_add(&situations->abandoned, sizeof *one, &situations->status);
        if (one == NULL) {
            return;
        }
        situations->watched[mutex].is_abandoned = true;
        one->mutex = mutex;
        one->owner = (int32_t)(task - 1u);
        one->time = time;
    }
}

void tt_abandoned_wait(tt_situations_t *situations, const tt_transition_t *row)
{
    tt_abandoned_t *all = situations->abandoned.items;
    for (uint64_t i = 0; i < situations->abandoned.count; i++) {
        tt_abandoned_t *one = &all[i];
        if (one->mutex != row->object) {
            continue;
        }
        const tt_share_t *waiters = one->waiters.items;
        for (uint64_t k = 0; k < one->waiters.count; k++) {
            if (waiters[k].entity == row->entity) {
                return;
            }
        }
        if (one->waiters.count == 0u) {
            one->since = (int64_t)row->time;
        }
        tt_share_t *share = tt_items_add(&one->waiters, sizeof *share, &situations->status);
        if (share != NULL) {
            share->entity = row->entity;
        }
        return;
    }
}

static void show_abandoned(tt_situations_t *situations, const tt_abandoned_t *one, int64_t time)
{
    const tt_share_t *waiters = one->waiters.items;
    tt_situation_t row = {.kind = TT_SITUATION_ABANDONED,
                          .entity = one->waiters.count == 0u ? TT_NO_ENTITY : waiters[0].entity,
                          .object = one->mutex,
                          .by = one->owner,
                          .begin = one->time,
                          .end = time > one->since ? time : one->since,
                          .since = one->since};
    tt_situation_add(situations, row, waiters, one->waiters.count);
}

static void end_abandoned(tt_situations_t *situations, int32_t mutex, bool shows, int64_t time)
{
    tt_abandoned_t *all = situations->abandoned.items;
    if (!situations->watched[mutex].is_abandoned) {
        return;
    }
    situations->watched[mutex].is_abandoned = false;
    for (uint64_t i = 0; i < situations->abandoned.count; i++) {
        if (all[i].mutex == mutex) {
            if (shows) {
                show_abandoned(situations, &all[i], time);
            }
            free(all[i].waiters.items);
            tt_items_remove(&situations->abandoned, sizeof *all, i);
            return;
        }
    }
}

static void take_mutex(tt_situations_t *situations, const tt_transition_t *row)
{
    bool takes = row->action == TT_ACTION_TAKE || row->action == TT_ACTION_ASSIGN ||
                 row->action == TT_ACTION_GRANT;
    if (takes) {
        situations->watched[row->entity].taken = (int64_t)row->time + 1;
    }
    if (takes || row->action == TT_ACTION_GIVE) {
        end_abandoned(situations, row->entity, false, 0);
    } else if (row->action == TT_ACTION_LOSE) {
        end_abandoned(situations, row->entity, true, (int64_t)row->time);
    }
}

/* Starvation and overload -------------------------------------------------------------------- */

static void show_stretch(tt_situations_t *situations, int32_t entity, int64_t time)
{
    const tt_watched_t *one = &situations->watched[entity];
    if (time - one->stretch_begin <= situations->limit) {
        return;
    }
    bool is_core = situations->scene.kind[entity] == TT_KIND_CORE;
    tt_situation_t row = {.kind = is_core ? TT_SITUATION_BUSY : TT_SITUATION_READY,
                          .entity = entity,
                          .object = TT_NO_ENTITY,
                          .by = TT_NO_ENTITY,
                          .begin = one->stretch_begin,
                          .end = time,
                          .rests_from = one->rests_from};
    tt_situation_add(situations, row, NULL, 0);
}

static void stretch(tt_situations_t *situations, const tt_transition_t *row, bool is_in)
{
    tt_watched_t *one = &situations->watched[row->entity];
    int64_t time = (int64_t)row->time;
    if (is_in) {
        if (!one->is_in) {
            one->is_in = true;
            one->stretch_begin = time;
            one->rests_from = one->is_known && row->action != TT_ACTION_FOUND ? time : 0;
        }
    } else if (one->is_in) {
        show_stretch(situations, row->entity, time);
        one->is_in = false;
    }
    one->is_known = row->after != TT_STATE_UNKNOWN;
}

/* Events and transitions --------------------------------------------------------------------- */

static void note(tt_situations_t *situations, const tt_noted_t *event)
{
    advance(situations, event->time);
    switch (event->kind) {
    case TT_NOTED_PRIORITY:
        if (!tt_map_set(&situations->priorities, (uint32_t)event->first,
                        (uint64_t)event->second + 1u)) {
            situations->status = TT_LIVES_NO_MEMORY;
        }
        return;
    case TT_NOTED_COND_WAIT:
        tt_wakeups_wait(situations, event);
        return;
    case TT_NOTED_ENDED:
        abandon(situations, (uint32_t)event->second, event->time);
        return;
    default:
        tt_wakeups_wake(situations, event);
        return;
    }
}

static void take_task(tt_situations_t *situations, const tt_transition_t *row, bool was_alive)
{
    tt_watched_t *one = &situations->watched[row->entity];
    const tt_scene_item_t *process = &situations->scene.items[row->entity];
    bool activates = row->action == TT_ACTION_ACTIVATE;
    if (row->action == TT_ACTION_STOP) {
        one->is_suspended = true;
    } else if (!activates) {
        one->is_suspended = false;
    }
    bool is_ready = process->state == TT_STATE_READY || process->state == TT_STATE_ACTIVE;
    stretch(situations, row, is_ready && !one->is_suspended);
    if (!activates) {
        tt_waits_settle(situations, row);
    }
    bool becomes_ready = row->after == TT_STATE_READY || row->after == TT_STATE_ACTIVE;
    if (row->action == TT_ACTION_PREEMPT) {
        one->is_woken = false;
    } else if (becomes_ready && !(activates && was_alive)) {
        one->is_woken = true;
        one->woken_core = process->core;
        one->woken_switches =
            process->core == TT_NO_ENTITY ? 0u : situations->watched[process->core].switches;
    }
    if (!activates) {
        tt_waits_take(situations, row);
    }
    bool ends = row->action == TT_ACTION_RELEASE || row->action == TT_ACTION_STOP ||
                row->action == TT_ACTION_ABORT || row->action == TT_ACTION_LOSE;
    if (ends) {
        tt_wakeups_end(situations, row->entity, (int64_t)row->time);
    }
}

static void take(tt_situations_t *situations, const tt_transition_t *row)
{
    tt_scene_t *scene = &situations->scene;
    int64_t kind = scene->kind[row->entity];
    advance(situations, (int64_t)row->time);
    if (kind == TT_KIND_MUTEX) {
        take_mutex(situations, row);
    }
    uint8_t before = scene->items[row->entity].state;
    if (!tt_scene_take(scene, row)) {
        situations->status = TT_LIVES_NO_MEMORY;
        return;
    }
    if (kind == TT_KIND_CORE) {
        stretch(situations, row, row->after != TT_STATE_FREE && row->after != TT_STATE_UNKNOWN);
        for (uint64_t i = 0; row->after == TT_STATE_UNKNOWN && i < situations->waits.count; i++) {
            tt_wait_forget_late(tt_wait_at(situations, i));
        }
    } else if (kind == TT_KIND_TASK) {
        uint64_t tid = (uint32_t)situations->job->number[row->entity];
        if (!tt_map_set(&situations->tasks, tid, (uint64_t)row->entity + 1u)) {
            situations->status = TT_LIVES_NO_MEMORY;
        }
        take_task(situations, row, !tt_scene_is_without_instance(before));
    }
}

static bool is_valid(const tt_situations_job_t *job, const tt_transition_t *row)
{
    int64_t count = (int64_t)job->entity_count;
    return row->entity >= 0 && row->entity < count && row->source < count && row->source >= -1 &&
           row->object < count && row->object >= -1;
}

static void begin_call(tt_situations_t *situations, const tt_situations_job_t *job)
{
    situations->job = job;
    situations->status = TT_LIVES_DONE;
    situations->rows.count = situations->shares.count = 0;
    uint64_t before = situations->scene.room;
    if (!tt_scene_grow(&situations->scene, job->entity_count)) {
        situations->status = TT_LIVES_NO_MEMORY;
        return;
    }
    uint64_t room = situations->scene.room;
    situations->scene.kind = job->kind;
    if (room != before) {
        tt_watched_t *more = room > SIZE_MAX / sizeof *more
                                 ? NULL
                                 : realloc(situations->watched, (size_t)room * sizeof *more);
        if (more == NULL) {
            situations->status = TT_LIVES_NO_MEMORY;
            return;
        }
        memset(&more[before], 0, (size_t)(room - before) * sizeof *more);
        situations->watched = more;
    }
}

static int end_call(tt_situations_t *situations, tt_situations_job_t *job)
{
    job->situations = situations->rows.items;
    job->situation_count = situations->rows.count;
    job->shares = situations->shares.items;
    job->share_count = situations->shares.count;
    return situations->status;
}

int tt_situations_feed(tt_situations_t *situations, tt_situations_job_t *job)
{
    begin_call(situations, job);
    uint64_t at = 0;
    for (uint64_t i = 0; situations->status == TT_LIVES_DONE && i < job->count; i++) {
        const tt_transition_t *row = &job->transitions[i];
        if (!is_valid(job, row)) {
            situations->status = TT_LIVES_NO_ENTITY;
            break;
        }
        if (!tt_scene_accepts(&situations->scene, row)) {
            continue;
        }
        while (at < job->noted_count && job->noted[at].row <= row->row) {
            note(situations, &job->noted[at++]);
        }
        take(situations, row);
    }
    while (situations->status == TT_LIVES_DONE && at < job->noted_count) {
        note(situations, &job->noted[at++]);
    }
    return end_call(situations, job);
}

/* Report what is open at a time, in the order of `Situations.finish`. */
static void show_open(tt_situations_t *situations, int64_t time)
{
    for (uint64_t i = 0; i < situations->waits.count; i++) {
        tt_wait_show(situations, tt_wait_at(situations, i), time);
    }
    const tt_abandoned_t *abandoned = situations->abandoned.items;
    uint64_t count = situations->job->entity_count;
    for (uint64_t entity = 0; situations->abandoned.count > 0u && entity < count; entity++) {
        for (uint64_t i = 0; i < situations->abandoned.count; i++) {
            if ((uint64_t)abandoned[i].mutex == entity) {
                show_abandoned(situations, &abandoned[i], time);
            }
        }
    }
    for (uint64_t entity = 0; entity < count; entity++) {
        if (situations->watched[entity].is_in) {
            show_stretch(situations, (int32_t)entity, time);
        }
    }
    tt_wakeups_show(situations, time);
}

int tt_situations_open(tt_situations_t *situations, tt_situations_job_t *job)
{
    begin_call(situations, job);
    if (situations->status == TT_LIVES_DONE) {
        bool has_doubt = situations->has_doubt;
        int64_t more = job->last > situations->now ? job->last - situations->now : 0;
        tt_waits_account(situations, more);
        show_open(situations, job->last);
        tt_waits_account(situations, -more);
        situations->has_doubt = has_doubt;
    }
    return end_call(situations, job);
}

int tt_situations_finish(tt_situations_t *situations, tt_situations_job_t *job)
{
    begin_call(situations, job);
    if (situations->status == TT_LIVES_DONE) {
        advance(situations, job->last);
        show_open(situations, job->last);
    }
    return end_call(situations, job);
}
