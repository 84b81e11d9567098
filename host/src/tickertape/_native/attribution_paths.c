/* Paths: the reasons of a tick of a task; see attribution.c. */
#include <stdlib.h>
#include <string.h>

#include "attribution_parts.h"
#include "model_tables.h"

static void rests_on(tt_now_t *now, int32_t entity)
{
    for (uint32_t i = 0; i < now->rests; i++) {
        if (now->rest[i] == entity) {
            return;
        }
    }
    if (now->rests < TT_PATH_RESTS) {
        now->rest[now->rests++] = entity;
    }
}

static void step(tt_now_t *now, int32_t cause, int32_t by, int32_t on, int32_t wait)
{
    if (now->steps < TT_PATH_STEPS) {
        now->step[now->steps++] = (tt_step_t){.cause = cause, .by = by, .on = on, .wait = wait};
    }
}

void tt_path_step(tt_now_t *now, int32_t cause)
{
    step(now, cause, TT_NO_ENTITY, TT_NO_ENTITY, TT_NOT_KNOWN);
}

/* Add the step of a ready process: its cause and the processes that have the CPUs. */
static void behind(tt_attribution_t *attribution, const tt_scene_item_t *process)
{
    const tt_scene_t *scene = &attribution->scene;
    tt_now_t *now = &attribution->path;
    int32_t tops[TT_PATH_CPUS];
    uint32_t top_count = 0;
    uint32_t core_count = 0;
    bool is_unknown = false;
    bool traces = true;
    bool interrupts = true;
    bool has_core = process->core != TT_NO_ENTITY;
    uint64_t count = has_core ? 1u : scene->cores.count;
    for (uint64_t i = 0; i < count && core_count < TT_PATH_CPUS; i++) {
        int32_t entity = has_core ? process->core : scene->cores.entities[i];
        const tt_scene_item_t *core = &scene->items[entity];
        if (!has_core && core->state == TT_SCENE_NO_STATE) {
            continue;
        }
        core_count++;
        rests_on(now, entity);
        is_unknown = is_unknown || !core->is_listed || core->state == TT_SCENE_NO_STATE ||
                     core->state == TT_STATE_UNKNOWN;
        if (core->top != TT_NO_ENTITY) {
            tops[top_count++] = core->top;
            rests_on(now, core->top);
            traces = traces && attribution->is_tracer[core->top] != 0u;
            interrupts = interrupts && scene->kind[core->top] == TT_KIND_INTERRUPT;
        }
    }
    if (core_count == 0u || is_unknown || (top_count != 0u && top_count < core_count)) {
        tt_path_step(now, TT_CAUSE_UNKNOWN);
        return;
    }
    if (top_count == 0u) {
        tt_path_step(now, TT_CAUSE_KERNEL);
        return;
    }
    int32_t cause = process->was_preempted ? TT_CAUSE_PREEMPTED : TT_CAUSE_READY;
    cause = interrupts ? TT_CAUSE_INTERRUPTED : cause;
    cause = traces ? TT_CAUSE_TRACER : cause;
    for (uint32_t i = 0; i < top_count; i++) {
        step(now, i == 0u ? cause : TT_CAUSE_AND, tops[i], TT_NO_ENTITY, TT_NOT_KNOWN);
    }
}

/* Add the step of a waiting process. Returns the owner to go on with; TT_NO_ENTITY: done. */
static int32_t waiting(tt_attribution_t *attribution, const int32_t *chain, uint32_t count)
{
    const tt_scene_t *scene = &attribution->scene;
    tt_now_t *now = &attribution->path;
    const tt_scene_item_t *process = &scene->items[chain[count - 1u]];
    int32_t wanted = process->wants;
    if (wanted == TT_NO_ENTITY) {
        step(now, TT_CAUSE_WAITED, TT_NO_ENTITY, TT_NO_ENTITY, (int32_t)process->wait);
        return TT_NO_ENTITY;
    }
    if (scene->kind[wanted] != TT_KIND_MUTEX) {
        step(now, TT_CAUSE_WAITED, TT_NO_ENTITY, wanted, TT_NOT_KNOWN);
        return TT_NO_ENTITY;
    }
    rests_on(now, wanted);
    int32_t owner = scene->items[wanted].owner;
    if (owner == TT_NO_ENTITY || owner == chain[count - 1u]) {
        tt_path_step(now, TT_CAUSE_KERNEL); /* the kernel is about to wake the process */
        return TT_NO_ENTITY;
    }
    bool is_known = owner != TT_OWNER_UNKNOWN;
    step(now, TT_CAUSE_BLOCKED, is_known ? owner : TT_NO_ENTITY, wanted, TT_NOT_KNOWN);
    if (!is_known) {
        return TT_NO_ENTITY;
    }
    bool ends = scene->items[wanted].is_left || count > TT_PATH_DEEPEST;
    for (uint32_t i = 0; i < count; i++) {
        ends = ends || chain[i] == owner;
    }
    if (ends) {
        int32_t cause = scene->items[wanted].is_left ? TT_CAUSE_ENDED : TT_CAUSE_DEADLOCK;
        step(now, cause, owner, TT_NO_ENTITY, TT_NOT_KNOWN);
        return TT_NO_ENTITY;
    }
    return owner;
}

void tt_path_find(tt_attribution_t *attribution, const tt_window_t *window)
{
    const tt_scene_t *scene = &attribution->scene;
    tt_now_t *now = &attribution->path;
    now->steps = now->rests = 0;
    const tt_scene_item_t *process = &scene->items[window->entity];
    bool is_over = process->state == TT_STATE_TERMINATED || process->state == TT_STATE_ENDED;
    if (window->instance < 0 && is_over) {
        rests_on(now, window->entity);
        tt_path_step(now, TT_CAUSE_INACTIVE);
        return;
    }
    bool is_active = process->state == TT_STATE_RUNNING || process->state == TT_STATE_READY ||
                     process->state == TT_STATE_WAITING || process->state == TT_STATE_SUSPENDED ||
                     process->state == TT_STATE_ACTIVE;
    bool is_earlier =
        process->instance == UINT32_MAX || (int64_t)process->instance != window->instance;
    if (window->instance >= 0 && is_active && is_earlier) {
        step(now, TT_CAUSE_EARLIER, window->entity, TT_NO_ENTITY, TT_NOT_KNOWN);
    }
    int32_t chain[TT_PATH_DEEPEST + 2u];
    uint32_t count = 0;
    int32_t entity = window->entity;
    while (entity != TT_NO_ENTITY) {
        chain[count++] = entity;
        rests_on(now, entity);
        process = &scene->items[entity];
        entity = TT_NO_ENTITY;
        switch (process->state) {
        case TT_STATE_RUNNING:
            tt_path_step(now, TT_CAUSE_RAN);
            break;
        case TT_STATE_READY:
        case TT_STATE_ACTIVE:
            behind(attribution, process);
            break;
        case TT_STATE_WAITING:
            entity = waiting(attribution, chain, count);
            break;
        case TT_STATE_TERMINATED:
        case TT_STATE_ENDED:
            tt_path_step(now, count == 1u ? TT_CAUSE_KERNEL : TT_CAUSE_INACTIVE);
            break;
        case TT_STATE_SUSPENDED:
            tt_path_step(now, TT_CAUSE_SUSPENDED);
            break;
        case TT_STATE_CREATED:
            tt_path_step(now, TT_CAUSE_CREATED);
            break;
        default:
            tt_path_step(now, TT_CAUSE_UNKNOWN);
            break;
        }
    }
}

static uint64_t hash_of(const tt_step_t *steps, uint64_t step_count, const int32_t *rests,
                        uint64_t rest_count)
{
    uint64_t hash = step_count << 8 | rest_count;
    for (uint64_t i = 0; i < step_count; i++) {
        hash = (hash ^ (uint64_t)(uint32_t)steps[i].by << 32 ^ (uint32_t)steps[i].on) *
               0x9e3779b97f4a7c15u;
        hash = (hash ^ hash >> 29 ^ (uint64_t)(uint32_t)steps[i].cause << 32 ^
                (uint32_t)steps[i].wait) *
               0x9e3779b97f4a7c15u;
    }
    for (uint64_t i = 0; i < rest_count; i++) {
        hash = (hash ^ hash >> 31 ^ (uint32_t)rests[i]) * 0x9e3779b97f4a7c15u;
    }
    return hash >> 32;
}

static bool is_now(const tt_attribution_t *attribution, const tt_path_t *path)
{
    const tt_now_t *now = &attribution->path;
    const tt_step_t *steps = attribution->steps.items;
    const int32_t *rests = attribution->rests.items;
    return path->steps == now->steps && path->rests == now->rests &&
           memcmp(&steps[path->first_step], now->step, now->steps * sizeof *steps) == 0 &&
           (now->rests == 0u ||
            memcmp(&rests[path->first_rest], now->rest, now->rests * sizeof *rests) == 0);
}

static bool grow_places(tt_attribution_t *attribution)
{
    uint64_t room = attribution->place_room == 0u ? 64u : 2u * attribution->place_room;
    uint64_t *places = calloc((size_t)room, sizeof *places);
    if (places == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < attribution->paths.count; i++) {
        const tt_path_t *path = tt_path_at(attribution, i);
        const tt_step_t *steps = attribution->steps.items;
        const int32_t *rests = attribution->rests.items;
        uint64_t at = hash_of(&steps[path->first_step], path->steps,
                              path->rests == 0u ? NULL : &rests[path->first_rest], path->rests);
        while (places[at & (room - 1u)] != 0u) {
            at++;
        }
        places[at & (room - 1u)] = i + 1u;
    }
    free(attribution->places);
    attribution->places = places;
    attribution->place_room = room;
    return true;
}

uint64_t tt_path_index(tt_attribution_t *attribution)
{
    const tt_now_t *now = &attribution->path;
    if (2u * attribution->paths.count >= attribution->place_room && !grow_places(attribution)) {
        attribution->status = TT_LIVES_NO_MEMORY;
        return 0;
    }
    uint64_t at = hash_of(now->step, now->steps, now->rest, now->rests);
    uint64_t mask = attribution->place_room - 1u;
    while (attribution->places[at & mask] != 0u) {
        uint64_t index = attribution->places[at & mask] - 1u;
        if (is_now(attribution, tt_path_at(attribution, index))) {
            return index;
        }
        at++;
    }
    tt_path_t path = {.first_step = attribution->steps.count,
                      .first_rest = attribution->rests.count,
                      .steps = now->steps,
                      .rests = now->rests};
    for (uint32_t i = 0; i < now->steps; i++) {
        tt_step_t *one = tt_items_add(&attribution->steps, sizeof *one, &attribution->status);
        if (one == NULL) {
            return 0;
        }
        *one = now->step[i];
    }
    for (uint32_t i = 0; i < now->rests; i++) {
        int32_t *one = tt_items_add(&attribution->rests, sizeof *one, &attribution->status);
        if (one == NULL) {
            return 0;
        }
        *one = now->rest[i];
    }
    tt_path_t *kept = tt_items_add(&attribution->paths, sizeof *kept, &attribution->status);
    if (kept == NULL) {
        return 0;
    }
    *kept = path;
    attribution->places[at & mask] = attribution->paths.count;
    return attribution->paths.count - 1u;
}
