#include "system_parts.h"

#include <stdlib.h>
#include <string.h>

static void fail(tt_system_t *system, int status)
{
    if (system->status == TT_SYSTEM_DONE) {
        system->status = status;
    }
}

/* Make room for one more item in an array; false, and a status, without memory. */
static bool make_room(tt_system_t *system, void **items, uint32_t *room, uint32_t count,
                      size_t size)
{
    if (count < *room) {
        return true;
    }
    uint32_t more = *room == 0u ? 4u : 2u * *room;
    void *grown = realloc(*items, more * size);
    if (grown == NULL) {
        fail(system, TT_SYSTEM_NO_MEMORY);
        return false;
    }
    *items = grown;
    *room = more;
    return true;
}

/* Transitions -----------------------------------------------------------------------------------
 */

void tt_note(tt_system_t *system, uint8_t action, int32_t entity, int32_t object, int64_t value)
{
    tt_change_t change = {.action = action, .entity = entity, .object = object, .value = value};
    tt_add(system, &change, tt_running(system));
}

/* Return whether the state machine does not have this transition between two known states. */
static bool contradicts(const tt_system_t *system, uint32_t machine, uint8_t before, uint8_t action,
                        uint8_t after)
{
    return before != TT_STATE_UNKNOWN && after != TT_STATE_UNKNOWN && action != TT_ACTION_FOUND &&
           system->machines[machine][before][action] != after + 1u;
}

/* Note that a process begins to run on its core; lose another process that runs there. */
static void occupy(tt_system_t *system, tt_process_t *process)
{
    tt_process_t *other = process->core->running;
    process->core->running = process;
    process->core->since = system->ticks;
    bool is_there = other != NULL && other->core == process->core; /* else it has moved */
    if (is_there && other != process && tt_is_on_core(other)) {
        tt_lose_process(system, other);
    }
}

void tt_process_does(tt_system_t *system, uint8_t action, tt_process_t *process, uint8_t after,
                     int32_t object, int64_t value)
{
    if (contradicts(system, TT_MACHINE_PROCESS, process->state, action, after)) {
        tt_core_t *core = process->core;
        tt_lose_process(system, process);
        process->core = core;
    }
    bool begins = after == TT_STATE_RUNNING || after == TT_STATE_POLLING;
    if (begins && !tt_is_on_core(process) && process->core != NULL) {
        occupy(system, process);
    }
    uint8_t before = process->state;
    process->state = after;
    if (process->is_due) {
        /* The instance before it is open. */
        tt_queue_put(system, &process->queue, process->due, process->due_number);
        process->is_due = false;
    }
    if (process->is_lost && after != TT_STATE_UNKNOWN) {
        /* Whether this is the earlier instance is unknown. */
        process->is_lost = false;
        process->instance =
            process->has_spare ? process->spare : tt_next_instance(system, process->entity);
        process->has_spare = false;
    }
    tt_change_t change = {.action = action,
                          .before = before,
                          .after = after,
                          .entity = process->entity,
                          .instance = process->instance,
                          .object = object,
                          .value = value};
    tt_put(system, &change, process->core == NULL ? TT_NO_ENTITY : process->core->entity, 0);
}

void tt_runnable_does(tt_system_t *system, uint8_t action, tt_runnable_t *runnable, uint8_t after,
                      const tt_process_t *process)
{
    tt_change_t change = {.action = action,
                          .before = runnable->state,
                          .after = after,
                          .entity = runnable->entity,
                          .instance = runnable->instance,
                          .object = TT_NO_ENTITY,
                          .value = TT_NOT_KNOWN};
    runnable->state = after;
    if (contradicts(system, TT_MACHINE_RUNNABLE, change.before, action, after)) {
        tt_change_t lost = change;
        lost.action = TT_ACTION_LOSE;
        lost.after = change.before = TT_STATE_UNKNOWN;
        tt_add(system, &lost, process);
    }
    tt_add(system, &change, process);
}

uint32_t tt_next_instance(tt_system_t *system, int32_t entity)
{
    return entity < 0 ? 0u : system->entities[entity].instances++;
}

tt_stimulus_t tt_trigger(tt_system_t *system, int32_t stimulus, const tt_process_t *cause)
{
    tt_change_t change = {.action = TT_ACTION_TRIGGER,
                          .entity = stimulus,
                          .instance = tt_next_instance(system, stimulus),
                          .object = TT_NO_ENTITY,
                          .value = TT_NOT_KNOWN};
    tt_add(system, &change, cause);
    return (tt_stimulus_t){.entity = stimulus, .number = change.instance};
}

void tt_forget_stimuli(tt_core_t *core)
{
    core->stimulus = core->expired = TT_NO_STIMULUS;
}

/* Entities --------------------------------------------------------------------------------------
 */

bool tt_have_entity(tt_system_t *system, int64_t index)
{
    if (index < 0 || index > INT32_MAX) {
        fail(system, TT_SYSTEM_STOPPED);
        return false;
    }
    if ((uint64_t)index < system->entity_room) {
        return true;
    }
    uint64_t room = 2u * ((uint64_t)index + 32u);
    tt_entity_t *entities = realloc(system->entities, room * sizeof *entities);
    if (entities == NULL) {
        fail(system, TT_SYSTEM_NO_MEMORY);
        return false;
    }
    for (uint64_t i = system->entity_room; i < room; i++) {
        entities[i] = (tt_entity_t){.owner = TT_NO_ENTITY};
    }
    system->entities = entities;
    system->entity_room = room;
    return true;
}

int32_t tt_other(tt_system_t *system, uint32_t kind, uint32_t number)
{
    uint64_t key = (uint64_t)kind << 32 | number;
    uint64_t known = tt_map_get(&system->numbers, key);
    if (known != 0u) {
        return (int32_t)(known - 1u);
    }
    int64_t index = system->status == TT_SYSTEM_DONE ? system->services.entity(kind, number) : -1;
    if (!tt_have_entity(system, index)) {
        return 0;
    }
    if (!tt_map_set(&system->numbers, key, (uint64_t)index + 1u)) {
        fail(system, TT_SYSTEM_NO_MEMORY);
    }
    return (int32_t)index;
}

/* Cores -----------------------------------------------------------------------------------------
 */

tt_core_t *tt_core_here(tt_system_t *system)
{
    tt_core_t *core = &system->cores[system->cpu];
    if (core->entity == TT_NO_ENTITY) {
        core->entity = tt_other(system, TT_KIND_CORE, system->cpu);
        tt_core_forget(system, core);
    }
    return core;
}

tt_process_t *tt_core_top(const tt_core_t *core)
{
    return core->depth == 0u ? NULL : core->stack[core->depth - 1u];
}

void tt_core_observe(tt_system_t *system, tt_core_t *core)
{
    const tt_process_t *top = tt_core_top(core);
    uint8_t after = top == NULL && core->is_idle ? TT_STATE_FREE : TT_STATE_USED;
    if (top != NULL &&
        (top->state == TT_STATE_UNKNOWN || (top->state == TT_STATE_TERMINATED && top->is_unsure))) {
        after = TT_STATE_UNKNOWN; /* an instance may have begun without a recorded activation */
    }
    uint8_t before = core->state;
    if (after == before) {
        return;
    }
    core->state = after;
    uint8_t action = after == TT_STATE_FREE ? TT_ACTION_IDLE : TT_ACTION_WORK;
    if (before == TT_STATE_UNKNOWN) {
        action = TT_ACTION_FOUND;
    } else if (after == TT_STATE_UNKNOWN) {
        action = TT_ACTION_LOSE;
    }
    tt_change_t change = {.action = action,
                          .before = before,
                          .after = after,
                          .entity = core->entity,
                          .object = TT_NO_ENTITY,
                          .value = TT_NOT_KNOWN};
    tt_add(system, &change, NULL);
}

tt_process_t *tt_running(tt_system_t *system)
{
    tt_process_t *top = tt_core_top(tt_core_here(system));
    return top != NULL && tt_is_on_core(top) ? top : NULL;
}

void tt_stack_push(tt_system_t *system, tt_core_t *core, tt_process_t *process)
{
    void *stack = (void *)core->stack;
    if (!make_room(system, &stack, &core->room, core->depth, sizeof *core->stack)) {
        return;
    }
    core->stack = stack;
    core->stack[core->depth++] = process;
    system->stacked++;
}

void tt_core_forget(tt_system_t *system, tt_core_t *core)
{
    system->stacked -= core->depth;
    core->depth = 0;
    core->is_idle = false;
    core->left = TT_IDLE;
    tt_stack_push(system, core, &system->unknown_process);
}

/* Processes -------------------------------------------------------------------------------------
 */

void tt_list_append(tt_process_list_t *list, tt_process_t *process)
{
    process->next = NULL;
    process->previous = list->last;
    if (list->last == NULL) {
        list->first = process;
    } else {
        list->last->next = process;
    }
    list->last = process;
    list->count++;
}

void tt_list_remove(tt_process_list_t *list, tt_process_t *process)
{
    if (process->previous == NULL) {
        list->first = process->next;
    } else {
        process->previous->next = process->next;
    }
    if (process->next == NULL) {
        list->last = process->previous;
    } else {
        process->next->previous = process->previous;
    }
    list->count--;
}

/* Create a process and add it to a map and a list; `unknown_process`, and a status, on failure. */
static tt_process_t *new_process(tt_system_t *system, tt_map_t *map, tt_process_list_t *list,
                                 uint64_t key, int64_t entity)
{
    tt_process_t *process = tt_have_entity(system, entity) ? calloc(1, sizeof *process) : NULL;
    if (process == NULL || !tt_map_set(map, key, (uint64_t)(uintptr_t)process)) {
        free(process);
        fail(system, TT_SYSTEM_NO_MEMORY);
        return &system->unknown_process;
    }
    process->key = key;
    process->entity = (int32_t)entity;
    process->event = process->channel = TT_NO_ENTITY;
    process->event_bits = process->message = TT_NOT_KNOWN;
    process->job = process->activated = process->completed = TT_NOT_KNOWN;
    process->is_lost = true;
    tt_list_append(list, process);
    return process;
}

tt_process_t *tt_thread(tt_system_t *system, uint32_t tid)
{
    tt_process_t *known = (tt_process_t *)(uintptr_t)tt_map_get(&system->tids, tid);
    if (known != NULL) {
        return known;
    }
    tt_begin_life(system, tid);
    int64_t entity = system->status == TT_SYSTEM_DONE ? system->services.task(tid) : -1;
    tt_process_t *thread = new_process(system, &system->tids, &system->threads, tid, entity);
    if (thread != &system->unknown_process) {
        system->entities[entity].living++;
        thread->is_created = tt_map_pop(&system->created, tid) != 0u;
        thread->is_vague = !system->is_whole && !thread->is_created;
    }
    return thread;
}

tt_process_t *tt_interrupt(tt_system_t *system, uint32_t irq)
{
    uint64_t key = (uint64_t)irq << 8 | system->cpu;
    tt_process_t *known = (tt_process_t *)(uintptr_t)tt_map_get(&system->irqs, key);
    if (known != NULL) {
        return known;
    }
    int32_t entity = tt_other(system, TT_KIND_INTERRUPT, irq);
    tt_process_t *process = new_process(system, &system->irqs, &system->interrupts, key, entity);
    process->is_interrupt = true;
    return process;
}

void tt_lose_process(tt_system_t *system, tt_process_t *process)
{
    for (uint32_t i = process->runnable_count; i > 0u; i--) {
        tt_runnable_does(system, TT_ACTION_LOSE, &process->runnables[i - 1u], TT_STATE_UNKNOWN,
                         process);
    }
    system->open_runnables -= process->runnable_count;
    process->runnable_count = 0;
    tt_queue_clear(&process->queue);
    process->is_stopped = process->is_created = false;
    process->wanted = process->relock = process->polls = NULL;
    process->event = process->channel = TT_NO_ENTITY;
    process->message = TT_NOT_KNOWN;
    process->job = process->activated = process->completed = TT_NOT_KNOWN;
    process->is_due = process->has_spare = false;
    process->is_queued = process->is_unsure = process->is_life = false;
    process->is_vague = true;
    if (process->state == TT_STATE_UNKNOWN || process->state == TT_STATE_ENDED) {
        return;
    }
    if (process->state == TT_STATE_CREATED) {
        tt_live(system, TT_ACTION_LOSE, process, TT_STATE_UNKNOWN);
    } else if (process->state != TT_STATE_TERMINATED) {
        tt_process_does(system, TT_ACTION_LOSE, process, TT_STATE_UNKNOWN, TT_NO_ENTITY,
                        TT_NOT_KNOWN);
    }
    tt_core_t *core = process->core;
    process->state = TT_STATE_UNKNOWN;
    process->core = NULL;
    process->is_lost = true;
    if (core != NULL && tt_core_top(core) == process) {
        tt_core_observe(system, core);
    }
}

void tt_lose_stack(tt_system_t *system, tt_core_t *core, uint32_t first)
{
    while (core->depth > first) {
        tt_process_t *process = core->stack[--core->depth];
        system->stacked--;
        if (process != NULL && process != &system->unknown_process) {
            tt_lose_process(system, process);
        }
    }
}
