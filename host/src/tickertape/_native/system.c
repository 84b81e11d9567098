/*
 * Convert events to transitions, in the order of model/follower.py and model/objects.py, which are
 * the reference. Python supplies the table of handlers and the names.
 */
#include "interface.h"

#include <stdlib.h>
#include <string.h>

#include "system_parts.h"

#define CODE_MASK    0x7fffu
#define DOMAIN_SHIFT 16u
#define DOMAIN_MASK  0x3fu
#define CPU_SHIFT    24u
/* More transitions than any event causes for one process, its two runnables and a lock. */
#define FEW          32u

tt_system_t *tt_system_new(const tt_system_services_t *services)
{
    tt_system_t *system = calloc(1, sizeof *system);
    if (system == NULL) {
        return NULL;
    }
    system->services = *services;
    system->unknown_process.entity = TT_NO_ENTITY;
    system->unknown_process.event = system->unknown_process.channel = TT_NO_ENTITY;
    for (uint32_t cpu = 0; cpu < TT_CPUS; cpu++) {
        system->cores[cpu].entity = TT_NO_ENTITY;
        tt_forget_stimuli(&system->cores[cpu]);
    }
    if (!tt_have_entity(system, 0)) {
        free(system);
        return NULL;
    }
    return system;
}

static void free_list(tt_process_list_t *list)
{
    tt_process_t *process = list->first;
    while (process != NULL) {
        tt_process_t *next = process->next;
        free(process->runnables);
        free(process->queue.runs);
        free(process);
        process = next;
    }
    *list = (tt_process_list_t){0};
}

/* Clear the state, except the entities and their numbers of instances. */
static void clear(tt_system_t *system)
{
    free_list(&system->threads);
    free_list(&system->interrupts);
    free_list(&system->gone);
    while (system->locks != NULL) {
        tt_lock_t *next = system->locks->next;
        free(system->locks);
        system->locks = next;
    }
    system->last_lock = NULL;
    for (uint64_t i = 0; i < system->entity_room; i++) {
        system->entities[i].lock = NULL;
        system->entities[i].living = 0;
        system->entities[i].owner = TT_NO_ENTITY;
    }
    for (uint32_t cpu = 0; cpu < TT_CPUS; cpu++) {
        free((void *)system->cores[cpu].stack);
        system->cores[cpu] = (tt_core_t){.entity = TT_NO_ENTITY};
        tt_forget_stimuli(&system->cores[cpu]);
    }
    tt_map_clear(&system->tids);
    tt_map_clear(&system->irqs);
    tt_map_clear(&system->created);
    tt_map_clear(&system->ended);
    tt_map_clear(&system->messages);
    system->open_runnables = system->stacked = system->lock_count = 0;
}

void tt_system_free(tt_system_t *system)
{
    if (system != NULL) {
        clear(system);
        tt_map_clear(&system->numbers);
        free(system->entities);
        free(system);
    }
}

static tt_handler_t find(const tt_named_handler_t *handlers, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(handlers[i].name, name) == 0) {
            return handlers[i].handler;
        }
    }
    return NULL;
}

int tt_system_handle(tt_system_t *system, uint32_t code, const char *handler)
{
    tt_handler_t found = find(tt_process_handlers, tt_process_handler_count, handler);
    if (found == NULL) {
        found = find(tt_job_handlers, tt_job_handler_count, handler);
    }
    if (found == NULL) {
        found = find(tt_lock_handlers, tt_lock_handler_count, handler);
    }
    if (found == NULL) {
        found = find(tt_event_handlers, tt_event_handler_count, handler);
    }
    if (found == NULL) {
        found = find(tt_life_handlers, tt_life_handler_count, handler);
    }
    if (found == NULL || code >= TT_CODES) {
        return -1;
    }
    system->handlers[code] = found;
    return 0;
}

int tt_system_allow(tt_system_t *system, uint32_t machine, uint32_t before, uint32_t action,
                    uint32_t after)
{
    if (machine >= TT_MACHINES || before >= TT_STATE_COUNT || action >= TT_ACTION_COUNT ||
        after >= TT_STATE_COUNT) {
        return -1;
    }
    system->machines[machine][before][action] = (uint8_t)(after + 1u);
    return 0;
}

void tt_system_begin_boot(tt_system_t *system, uint32_t whole)
{
    system->is_whole = whole != 0u;
}

/* Return whether there is room for all transitions of any one event. */
static bool has_room(const tt_system_t *system, const tt_system_job_t *job)
{
    uint64_t most = FEW + 2u * (system->threads.count + system->interrupts.count) +
                    system->lock_count + 4u * (system->open_runnables + system->stacked);
    return job->room - job->written >= most;
}

static void stand_at(tt_system_t *system, tt_system_job_t *job, uint64_t row)
{
    uint64_t nearest = row < job->count ? row : job->count - 1u;
    system->job = job;
    system->row = row;
    system->ticks = job->count == 0u ? 0u : job->time[nearest];
}

/* Note missing records of one CPU, or of all CPUs if `cpu` is TT_CPUS. */
static void lose(tt_system_t *system, uint32_t cpu)
{
    /* A core's stack may still contain a process that another CPU has switched to. */
    for (uint32_t i = 0; i < TT_CPUS; i++) {
        const tt_core_t *core = &system->cores[i];
        for (uint32_t k = 0; i != cpu && cpu != TT_CPUS && k < core->depth; k++) {
            if (core->stack[k] != NULL && core->stack[k]->core == core) {
                core->stack[k]->is_kept = true;
            }
        }
    }
    const tt_process_list_t *lists[] = {&system->threads, &system->interrupts};
    for (size_t i = 0; i < 2u; i++) {
        for (tt_process_t *process = lists[i]->first; process != NULL; process = process->next) {
            if (!process->is_kept) {
                tt_lose_process(system, process);
            }
            process->is_kept = false;
        }
    }
    for (uint32_t i = 0; i < TT_CPUS; i++) {
        tt_core_t *core = &system->cores[i];
        bool is_affected = i == cpu || cpu == TT_CPUS;
        if (is_affected) {
            tt_forget_stimuli(core);
        }
        if (core->entity != TT_NO_ENTITY && is_affected) {
            tt_core_forget(system, core);
            tt_core_observe(system, core);
        }
    }
    tt_lose_objects(system);
}

int tt_system_reset(tt_system_t *system, tt_system_job_t *job)
{
    if (!has_room(system, job)) {
        return TT_SYSTEM_FULL;
    }
    stand_at(system, job, 0);
    lose(system, TT_CPUS);
    clear(system);
    return system->status;
}

int tt_system_lose(tt_system_t *system, tt_system_job_t *job, uint32_t cpu, uint32_t has_ticks,
                   uint64_t ticks)
{
    if (!has_room(system, job)) {
        return TT_SYSTEM_FULL;
    }
    stand_at(system, job, job->row);
    system->cpu = cpu % TT_CPUS;
    system->is_whole = false;
    for (tt_process_t *thread = system->threads.first; thread != NULL; thread = thread->next) {
        thread->is_behind_gap = true;
    }
    if (has_ticks != 0u) {
        system->ticks = ticks;
    }
    lose(system, cpu);
    return system->status;
}

/* Free forgotten threads that are not in any stack. */
static void sweep(tt_system_t *system)
{
    tt_process_t *process = system->gone.first;
    while (process != NULL) {
        tt_process_t *next = process->next;
        bool is_stacked = false;
        for (uint32_t cpu = 0; cpu < TT_CPUS; cpu++) {
            for (uint32_t i = 0; i < system->cores[cpu].depth; i++) {
                is_stacked = is_stacked || system->cores[cpu].stack[i] == process;
            }
        }
        if (!is_stacked) {
            for (uint32_t cpu = 0; cpu < TT_CPUS; cpu++) {
                if (system->cores[cpu].running == process) {
                    system->cores[cpu].running = NULL;
                }
            }
            tt_list_remove(&system->gone, process);
            free(process->runnables);
            free(process->queue.runs);
            free(process);
        }
        process = next;
    }
}

int tt_system_feed(tt_system_t *system, tt_system_job_t *job)
{
    sweep(system);
    for (; job->row < job->end_row; job->row++) {
        uint32_t header = job->header[job->row];
        tt_handler_t handler = system->handlers[header & CODE_MASK];
        if (handler == NULL) {
            continue;
        }
        if (!has_room(system, job)) {
            return TT_SYSTEM_FULL;
        }
        stand_at(system, job, job->row);
        system->cpu = header >> CPU_SHIFT & (TT_CPUS - 1u);
        system->code = header & CODE_MASK;
        system->domain = header >> DOMAIN_SHIFT & DOMAIN_MASK;
        if (system->cores[system->cpu].left != TT_IDLE &&
            system->evidence[system->code] != TT_EVIDENCE_NONE) {
            tt_prove(system, job->data0[job->row], job->data1[job->row]);
        }
        handler(system, job->data0[job->row], job->data1[job->row]);
        tt_core_t *core = &system->cores[system->cpu];
        if (core->entity != TT_NO_ENTITY) {
            tt_core_observe(system, core);
        }
        if (system->code != TT_EVENT_SCHED_STIMULUS && system->code != TT_EVENT_SCHED_TIMER) {
            tt_forget_stimuli(core);
        }
        if (system->status != TT_SYSTEM_DONE) {
            return system->status;
        }
    }
    return TT_SYSTEM_DONE;
}

int tt_system_is_free(const tt_system_t *system, uint32_t entity)
{
    return entity >= system->entity_room || system->entities[entity].living == 0u;
}
