/* Wake-ups of conditions that came before the wait; see situations.c. */
#include "model_tables.h"
#include "situations_parts.h"

static int32_t running_on(const tt_situations_t *situations, uint32_t cpu)
{
    const tt_scene_t *scene = &situations->scene;
    for (uint64_t i = 0; i < scene->cores.count; i++) {
        int32_t core = scene->cores.entities[i];
        if (situations->job->number[core] == (int64_t)cpu) {
            return scene->items[core].top;
        }
    }
    return TT_NO_ENTITY;
}

static uint64_t missed_of(const tt_situations_t *situations, int32_t task)
{
    const tt_missed_t *all = situations->missed.items;
    uint64_t at = 0;
    while (at < situations->missed.count && all[at].task != task) {
        at++;
    }
    return at;
}

void tt_wakeups_wait(tt_situations_t *situations, const tt_noted_t *event)
{
    const tt_scene_t *scene = &situations->scene;
    int32_t task = running_on(situations, event->cpu);
    uint64_t wakeup = tt_map_get(&situations->wakeup_of, (uint64_t)event->first);
    if (task == TT_NO_ENTITY || wakeup == 0u || scene->items[task].owned == 0u) {
        return;
    }
    int32_t mutex = TT_NO_ENTITY;
    uint32_t count = 0;
    for (uint64_t i = 0; i < scene->mutexes.count; i++) {
        int32_t one = scene->mutexes.entities[i];
        bool is_mine = scene->items[one].owner == task && !scene->items[one].is_left &&
                       (event->second == 0 || event->second == situations->job->number[one]);
        if (is_mine) {
            mutex = one;
            count++;
        }
    }
    if (count != 1u) {
        return;
    }
    const tt_wakeup_t *by = &((const tt_wakeup_t *)situations->wakeups.items)[wakeup - 1u];
    int64_t taken = situations->watched[mutex].taken - 1;
    if (taken < 0 || taken >= by->time) {
        return;
    }
    uint64_t at = missed_of(situations, task);
    tt_missed_t *one = at < situations->missed.count
                           ? &((tt_missed_t *)situations->missed.items)[at]
                           : tt_items_add(&situations->missed, sizeof *one, &situations->status);
    if (one != NULL) {
        *one = (tt_missed_t){.condition = event->first,
                             .taken = taken,
                             .woken = by->time,
                             .since = event->time,
                             .task = task,
                             .mutex = mutex,
                             .by = by->by};
    }
}

static void show_missed(tt_situations_t *situations, const tt_missed_t *one, int64_t time)
{
    tt_situation_t row = {.kind = TT_SITUATION_MISSED_WAKEUP,
                          .entity = one->task,
                          .object = one->mutex,
                          .by = one->by,
                          .begin = one->woken,
                          .end = time,
                          .since = one->since,
                          .rests_from = one->taken,
                          .value = one->condition};
    tt_situation_add(situations, row, NULL, 0);
}

static void end_missed(tt_situations_t *situations, uint64_t at, int64_t time)
{
    show_missed(situations, &((const tt_missed_t *)situations->missed.items)[at], time);
    tt_items_remove(&situations->missed, sizeof(tt_missed_t), at);
}

void tt_wakeups_wake(tt_situations_t *situations, const tt_noted_t *event)
{
    if (event->second == 0) {
        uint64_t at = tt_map_get(&situations->wakeup_of, (uint64_t)event->first);
        tt_wakeup_t *one =
            at != 0u ? &((tt_wakeup_t *)situations->wakeups.items)[at - 1u]
                     : tt_items_add(&situations->wakeups, sizeof *one, &situations->status);
        if (one == NULL || (at == 0u && !tt_map_set(&situations->wakeup_of, (uint64_t)event->first,
                                                    situations->wakeups.count))) {
            situations->status = TT_LIVES_NO_MEMORY;
            return;
        }
        one->time = event->time;
        one->by = running_on(situations, event->cpu);
        return;
    }
    for (uint64_t at = 0; at < situations->missed.count;) {
        const tt_missed_t *one = &((const tt_missed_t *)situations->missed.items)[at];
        bool is_woken =
            one->condition == event->first && (event->kind == TT_NOTED_COND_BROADCAST ||
                                               event->second == situations->job->number[one->task]);
        if (is_woken) {
            end_missed(situations, at, event->time);
        } else {
            at++;
        }
    }
}

void tt_wakeups_end(tt_situations_t *situations, int32_t task, int64_t time)
{
    uint64_t at = missed_of(situations, task);
    if (at < situations->missed.count) {
        end_missed(situations, at, time);
    }
}

void tt_wakeups_show(tt_situations_t *situations, int64_t time)
{
    const tt_missed_t *missed = situations->missed.items;
    uint64_t count = situations->missed.count == 0u ? 0u : situations->job->entity_count;
    for (uint64_t entity = 0; entity < count; entity++) {
        uint64_t at = missed_of(situations, (int32_t)entity);
        if (at < situations->missed.count) {
            show_missed(situations, &missed[at], time);
        }
    }
}
