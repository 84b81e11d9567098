/* Waits of tasks for mutexes: inversion and deadlock; see situations.c. */
#include <stdlib.h>

#include "model_tables.h"
#include "situations_parts.h"

/* Return the priority of a task; false if it is unknown. */
static bool priority_of(const tt_situations_t *situations, int32_t task, uint64_t *priority)
{
    uint64_t value = tt_map_get(&situations->priorities, (uint32_t)situations->job->number[task]);
    *priority = value - 1u;
    return value != 0u;
}

/* Inversion and deadlock --------------------------------------------------------------------- */

static void blame(tt_situations_t *situations, tt_mutex_wait_t *wait, int32_t task, int64_t ticks)
{
    tt_share_t *shares = wait->others.items;
    wait->ticks += ticks;
    for (uint64_t i = 0; i < wait->others.count; i++) {
        if (shares[i].entity == task) {
            shares[i].ticks += ticks;
            if (shares[i].ticks == 0) {
                tt_items_remove(&wait->others, sizeof *shares,
                                i); /* tt_situations_open() takes it back */
            }
            return;
        }
    }
    tt_share_t *share = tt_items_add(&wait->others, sizeof *share, &situations->status);
    if (share != NULL) {
        *share = (tt_share_t){.ticks = ticks, .entity = task};
    }
}

static void blame_late(tt_situations_t *situations, tt_mutex_wait_t *wait)
{
    blame(situations, wait, wait->late, wait->late_ticks);
    tt_wait_forget_late(wait);
}

static bool chain_has(const tt_scene_t *scene, int32_t waiter, int32_t task)
{
    int32_t chain[TT_SCENE_CHAIN];
    uint32_t count = tt_scene_chain(scene, waiter, chain);
    for (uint32_t i = 0; i < count; i++) {
        if (chain[i] == task) {
            return true;
        }
    }
    return false;
}

/* Return whether a task that is at least as urgent waits for a mutex of this task. */
static bool runs_for(const tt_situations_t *situations, int32_t task, uint64_t priority)
{
    for (uint64_t i = 0; i < situations->waits.count; i++) {
        int32_t waiter = tt_wait_at(situations, i)->entity;
        uint64_t its = 0;
        if (!priority_of(situations, waiter, &its)) {
            its = 0;
        }
        if (its >= priority && chain_has(&situations->scene, waiter, task)) {
            return true;
        }
    }
    return false;
}

static bool was_woken_now(const tt_situations_t *situations, int32_t owner, int32_t core)
{
    const tt_watched_t *one = &situations->watched[owner];
    return one->is_woken && one->woken_core == core &&
           one->woken_switches == situations->watched[core].switches;
}

/* Add ticks to a wait if a less urgent task has the CPU that the last owner wants. */
static void account(tt_situations_t *situations, tt_mutex_wait_t *wait, int64_t ticks)
{
    const tt_scene_t *scene = &situations->scene;
    int32_t chain[TT_SCENE_CHAIN];
    uint32_t count = tt_scene_chain(scene, wait->entity, chain);
    int32_t owner = chain[count - 1u];
    const tt_scene_item_t *process = &scene->items[owner];
    int32_t running = tt_scene_running_on(scene, process->core);
    if (count == 1u || running == TT_NO_ENTITY) {
        return;
    }
    bool is_owner = running == owner;
    bool is_ready = process->state == TT_STATE_READY || process->state == TT_STATE_ACTIVE;
    if (is_owner ? process->state != TT_STATE_RUNNING : !is_ready) {
        return;
    }
    if (scene->kind[running] != TT_KIND_TASK || situations->watched[owner].is_suspended) {
        return;
    }
    uint64_t mine = 0;
    uint64_t its = 0;
    if (!priority_of(situations, wait->entity, &mine) || !priority_of(situations, running, &its)) {
        if (!situations->has_doubt) {
            tt_situation_t doubt = {.kind = TT_SITUATION_DOUBT,
                                    .entity = wait->entity,
                                    .object = TT_NO_ENTITY,
                                    .by = TT_NO_ENTITY,
                                    .begin = situations->now,
                                    .end = situations->now,
                                    .value = TT_DOUBT_PRIORITIES};
            tt_situation_add(situations, doubt, NULL, 0);
        }
        situations->has_doubt = true;
    } else if (its >= mine) {
        return;
    } else if (is_owner) {
        wait->ticks += ticks;
    } else if (tt_scene_has_idle_core(scene) || runs_for(situations, running, mine)) {
        return;
    } else if (was_woken_now(situations, owner, process->core)) {
        wait->late_ticks += ticks;
        wait->late = wait->late_ticks == 0 ? TT_NO_ENTITY : running;
    } else {
        blame(situations, wait, running, ticks);
    }
}

void tt_waits_account(tt_situations_t *situations, int64_t ticks)
{
    for (uint64_t i = 0; i < situations->waits.count; i++) {
        account(situations, tt_wait_at(situations, i), ticks);
    }
}

void tt_wait_show(tt_situations_t *situations, const tt_mutex_wait_t *wait, int64_t time)
{
    tt_situation_t row = {.kind = TT_SITUATION_INVERSION,
                          .entity = wait->entity,
                          .object = wait->mutex,
                          .by = TT_NO_ENTITY,
                          .begin = wait->since,
                          .end = time,
                          .value = wait->ticks};
    tt_situation_add(situations, row, wait->others.items, wait->others.count);
}

static void end_wait(tt_situations_t *situations, uint64_t at)
{
    free(tt_wait_at(situations, at)->others.items);
    tt_items_remove(&situations->waits, sizeof(tt_mutex_wait_t), at);
}

static void deadlock(tt_situations_t *situations, const tt_transition_t *row)
{
    int32_t chain[TT_SCENE_CHAIN];
    tt_share_t shares[TT_SCENE_CHAIN];
    uint32_t count = tt_scene_chain(&situations->scene, row->entity, chain);
    if (count == 1u || chain[count - 1u] != row->entity) {
        return;
    }
    for (uint32_t i = 0; i + 1u < count; i++) {
        shares[i] = (tt_share_t){.entity = chain[i]};
    }
    tt_situation_t one = {.kind = TT_SITUATION_DEADLOCK,
                          .entity = row->entity,
                          .object = row->object,
                          .by = TT_NO_ENTITY,
                          .begin = (int64_t)row->time,
                          .end = (int64_t)row->time};
    tt_situation_add(situations, one, shares, count - 1u);
}

void tt_waits_take(tt_situations_t *situations, const tt_transition_t *row)
{
    uint64_t at = 0;
    while (at < situations->waits.count && tt_wait_at(situations, at)->entity != row->entity) {
        at++;
    }
    bool waits = at < situations->waits.count;
    if (row->action == TT_ACTION_WAIT) {
        if (waits) {
            tt_wait_show(situations, tt_wait_at(situations, at), (int64_t)row->time);
            end_wait(situations, at);
        }
        if (row->object == TT_NO_ENTITY || situations->scene.kind[row->object] != TT_KIND_MUTEX) {
            return;
        }
        tt_mutex_wait_t *wait = tt_items_add(&situations->waits, sizeof *wait, &situations->status);
        if (wait == NULL) {
            return;
        }
        wait->entity = row->entity;
        wait->mutex = row->object;
        wait->since = (int64_t)row->time;
        wait->late = TT_NO_ENTITY;
        tt_abandoned_wait(situations, row);
        deadlock(situations, row);
    } else if (waits && row->after != TT_STATE_WAITING) {
        if (row->after == TT_STATE_UNKNOWN && (int64_t)row->time < situations->now) {
            tt_situation_t doubt = {.kind = TT_SITUATION_DOUBT,
                                    .entity = row->entity,
                                    .object = TT_NO_ENTITY,
                                    .by = TT_NO_ENTITY,
                                    .begin = (int64_t)row->time,
                                    .end = (int64_t)row->time,
                                    .value = TT_DOUBT_STATES};
            tt_situation_add(situations, doubt, NULL, 0);
        } else {
            tt_wait_show(situations, tt_wait_at(situations, at), (int64_t)row->time);
        }
        end_wait(situations, at);
    }
}

/* Decide on late tasks when one of them leaves its CPU, or another one gets it. */
void tt_waits_settle(tt_situations_t *situations, const tt_transition_t *row)
{
    const tt_scene_t *scene = &situations->scene;
    int32_t core = scene->items[row->entity].core;
    bool runs = row->after == TT_STATE_RUNNING;
    if (runs && core != TT_NO_ENTITY && situations->watched[core].last_task != row->entity + 1) {
        situations->watched[core].last_task = row->entity + 1;
        situations->watched[core].switches++;
    }
    bool stays = runs || row->after == TT_STATE_READY || row->after == TT_STATE_ACTIVE;
    for (uint64_t i = 0; i < situations->waits.count; i++) {
        tt_mutex_wait_t *wait = tt_wait_at(situations, i);
        if (wait->late == TT_NO_ENTITY) {
            continue;
        }
        if (wait->late == row->entity) {
            if (row->after == TT_STATE_UNKNOWN) {
                tt_wait_forget_late(wait);
            } else if (!stays) {
                blame_late(situations, wait);
            }
        } else if (runs && scene->items[wait->late].core == core) {
            uint64_t mine = 0;
            uint64_t its = 0;
            bool is_due = !priority_of(situations, wait->entity, &mine) ||
                          !priority_of(situations, row->entity, &its) || its >= mine;
            if (is_due || chain_has(scene, wait->entity, row->entity)) {
                tt_wait_forget_late(wait);
            } else {
                blame_late(situations, wait);
            }
        }
    }
}
