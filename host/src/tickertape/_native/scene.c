/* Follow processes, cores and mutexes. The reference is `Scene` in answers/attribution.py. */
#include "scene.h"

#include <stdlib.h>

#include "marks.h"
#include "model_tables.h"

#define FIRST_ROOM 16u

void tt_scene_clear(tt_scene_t *scene)
{
    free(scene->items);
    free(scene->cores.entities);
    free(scene->mutexes.entities);
    *scene = (tt_scene_t){0};
}

bool tt_scene_grow(tt_scene_t *scene, uint64_t entities)
{
    if (entities <= scene->room) {
        return true;
    }
    uint64_t room = 2u * entities;
    tt_scene_item_t *more =
        room > SIZE_MAX / sizeof *more ? NULL : realloc(scene->items, (size_t)room * sizeof *more);
    if (more == NULL) {
        return false;
    }
    for (uint64_t i = scene->room; i < room; i++) {
        more[i] = (tt_scene_item_t){.wait = TT_NOT_KNOWN,
                                    .instance = UINT32_MAX,
                                    .core = TT_NO_ENTITY,
                                    .wants = TT_NO_ENTITY,
                                    .top = TT_NO_ENTITY,
                                    .owner = TT_OWNER_UNKNOWN,
                                    .state = TT_STATE_UNKNOWN};
    }
    scene->items = more;
    scene->room = room;
    return true;
}

static bool list(tt_scene_list_t *list, tt_scene_item_t *item, int32_t entity)
{
    if (item->is_listed) {
        return true;
    }
    if (list->count == list->room) {
        uint64_t room = list->room == 0u ? FIRST_ROOM : 2u * list->room;
        int32_t *more = realloc(list->entities, (size_t)room * sizeof *more);
        if (more == NULL) {
            return false;
        }
        list->entities = more;
        list->room = room;
    }
    list->entities[list->count++] = entity;
    item->is_listed = true;
    return true;
}

bool tt_scene_accepts(const tt_scene_t *scene, const tt_transition_t *row)
{
    int64_t kind = scene->kind[row->entity];
    if (kind == TT_KIND_TASK || kind == TT_KIND_INTERRUPT || kind == TT_KIND_CORE) {
        return !tt_is_mark(row->action);
    }
    if (kind != TT_KIND_MUTEX) {
        return false;
    }
    switch (row->action) {
    case TT_ACTION_TAKE:
    case TT_ACTION_ASSIGN:
    case TT_ACTION_GRANT:
    case TT_ACTION_GIVE:
    case TT_ACTION_LOSE:
    case TT_ACTION_FOUND:
        return true;
    default:
        return false;
    }
}

static void set_owner(tt_scene_t *scene, int32_t mutex, int32_t owner)
{
    int32_t before = scene->items[mutex].owner;
    if (before >= 0) {
        scene->items[before].owned--;
    }
    if (owner >= 0) {
        scene->items[owner].owned++;
    }
    scene->items[mutex].owner = owner;
    scene->items[mutex].is_left = false;
}

/* Note that the owner of mutexes has ended: they stay locked. */
static void leave_mutexes(tt_scene_t *scene, int32_t owner)
{
    for (uint64_t i = 0; i < scene->mutexes.count; i++) {
        tt_scene_item_t *mutex = &scene->items[scene->mutexes.entities[i]];
        mutex->is_left = mutex->is_left || mutex->owner == owner;
    }
}

static void forget_owners(tt_scene_t *scene, int32_t of)
{
    for (uint64_t i = 0; i < scene->mutexes.count; i++) {
        int32_t mutex = scene->mutexes.entities[i];
        if (of == TT_NO_ENTITY || scene->items[mutex].owner == of) {
            set_owner(scene, mutex, TT_OWNER_UNKNOWN);
        }
    }
}

static bool take_mutex(tt_scene_t *scene, const tt_transition_t *row)
{
    if (!list(&scene->mutexes, &scene->items[row->entity], row->entity)) {
        return false;
    }
    bool takes = row->action == TT_ACTION_TAKE || row->action == TT_ACTION_ASSIGN ||
                 row->action == TT_ACTION_GRANT;
    if (takes && row->source != TT_NO_ENTITY) {
        set_owner(scene, row->entity, row->source);
    } else if (row->action == TT_ACTION_GIVE || row->after == TT_STATE_FREE) {
        set_owner(scene, row->entity, TT_NO_ENTITY);
    } else if (row->action != TT_ACTION_FOUND) {
        set_owner(scene, row->entity, TT_OWNER_UNKNOWN);
    }
    return true;
}

static void leave_cores(tt_scene_t *scene, int32_t entity, bool is_task)
{
    int32_t own = scene->items[entity].core;
    for (uint64_t i = 0; i < scene->cores.count; i++) {
        int32_t core = scene->cores.entities[i];
        if (scene->items[core].top == entity && (is_task || core == own)) {
            scene->items[core].top = TT_NO_ENTITY;
        }
    }
}

static bool take_process(tt_scene_t *scene, const tt_transition_t *row)
{
    tt_scene_item_t *process = &scene->items[row->entity];
    if (row->action == TT_ACTION_CREATE || row->action == TT_ACTION_END) {
        process->state = row->after;
        process->instance = row->instance;
        if (row->action == TT_ACTION_END && process->owned != 0u) {
            leave_mutexes(scene, row->entity);
        }
        return true;
    }
    if (row->action == TT_ACTION_ACTIVATE) {
        if (tt_scene_is_without_instance(process->state)) {
            process->state = TT_STATE_ACTIVE;
            process->instance = row->instance;
            process->was_preempted = false;
        }
        return true;
    }
    if (row->source != TT_NO_ENTITY) {
        process->core = row->source;
    }
    leave_cores(scene, row->entity, scene->kind[row->entity] == TT_KIND_TASK);
    if (row->after == TT_STATE_RUNNING && process->core != TT_NO_ENTITY) {
        tt_scene_item_t *core = &scene->items[process->core];
        if (!core->is_listed) {
            core->state = TT_SCENE_NO_STATE;
        }
        if (!list(&scene->cores, core, process->core)) {
            return false;
        }
        core->top = row->entity;
    } else if (row->action == TT_ACTION_LOSE && process->owned != 0u) {
        forget_owners(scene, row->entity);
    }
    process->was_preempted = row->action == TT_ACTION_PREEMPT;
    process->state = row->after;
    process->instance = row->instance;
    bool waits = row->after == TT_STATE_WAITING;
    process->wants = waits ? row->object : TT_NO_ENTITY;
    process->wait = waits ? row->value : TT_NOT_KNOWN;
    return true;
}

bool tt_scene_take(tt_scene_t *scene, const tt_transition_t *row)
{
    tt_scene_item_t *item = &scene->items[row->entity];
    switch (scene->kind[row->entity]) {
    case TT_KIND_CORE:
        if (!list(&scene->cores, item, row->entity)) {
            return false;
        }
        item->state = row->after;
        if (row->after == TT_STATE_UNKNOWN) {
            forget_owners(scene, TT_NO_ENTITY);
        }
        return true;
    case TT_KIND_MUTEX:
        return take_mutex(scene, row);
    default:
        return take_process(scene, row);
    }
}

static bool contains(const int32_t *chain, uint32_t count, int32_t entity)
{
    for (uint32_t i = 0; i < count; i++) {
        if (chain[i] == entity) {
            return true;
        }
    }
    return false;
}

uint32_t tt_scene_chain(const tt_scene_t *scene, int32_t entity, int32_t chain[TT_SCENE_CHAIN])
{
    uint32_t count = 1;
    chain[0] = entity;
    while (count < TT_SCENE_CHAIN) {
        const tt_scene_item_t *process = &scene->items[chain[count - 1u]];
        if (process->state != TT_STATE_WAITING || process->wants == TT_NO_ENTITY) {
            break;
        }
        int32_t owner = scene->items[process->wants].owner;
        bool is_left = scene->items[process->wants].is_left;
        if (owner < 0 || owner == chain[count - 1u] || is_left) {
            break;
        }
        bool is_cycle = contains(chain, count, owner);
        chain[count++] = owner;
        if (is_cycle) {
            break;
        }
    }
    return count;
}

bool tt_scene_has_idle_core(const tt_scene_t *scene)
{
    for (uint64_t i = 0; i < scene->cores.count; i++) {
        if (scene->items[scene->cores.entities[i]].state == TT_STATE_FREE) {
            return true;
        }
    }
    return false;
}
