/* Handlers for the lives of threads: created, named, suspended, ended. The reference is
 * model/threads.py. */
#include <stdlib.h>

#include "system_parts.h"

static tt_process_t *known_thread(const tt_system_t *system, uint32_t tid)
{
    return (tt_process_t *)(uintptr_t)tt_map_get(&system->tids, tid);
}

static void stop_without_memory(tt_system_t *system, bool is_done)
{
    if (!is_done) {
        system->status = TT_SYSTEM_NO_MEMORY;
    }
}

void tt_live(tt_system_t *system, uint8_t action, tt_process_t *thread, uint8_t after)
{
    tt_change_t change = {.action = action,
                          .before = thread->state,
                          .after = after,
                          .entity = thread->entity,
                          .instance = thread->instance,
                          .object = TT_NO_ENTITY,
                          .value = TT_NOT_KNOWN};
    thread->state = after;
    tt_add(system, &change, NULL);
}

void tt_begin_life(tt_system_t *system, uint32_t tid)
{
    if (tt_map_pop(&system->ended, tid) != 0u && system->services.forget(tid) < 0) {
        system->status = TT_SYSTEM_STOPPED;
    }
}

/* Forget a thread: its number may be used again. */
static void forget_thread(tt_system_t *system, uint32_t tid)
{
    tt_process_t *thread = known_thread(system, tid);
    (void)tt_map_pop(&system->created, tid);
    for (uint32_t cpu = 0; cpu < TT_CPUS; cpu++) {
        tt_core_t *core = &system->cores[cpu];
        core->left = core->left == tid ? TT_IDLE : core->left;
    }
    if (thread == NULL) {
        return;
    }
    (void)tt_map_pop(&system->tids, tid);
    tt_list_remove(&system->threads, thread);
    tt_list_append(&system->gone, thread);
    system->entities[thread->entity].living--;
    stop_without_memory(system, tt_map_set(&system->ended, tid, 1));
    if (thread->state == TT_STATE_CREATED) {
        tt_live(system, TT_ACTION_END, thread, TT_STATE_ENDED);
    } else if (thread->state != TT_STATE_TERMINATED && thread->state != TT_STATE_UNKNOWN &&
               thread->state != TT_STATE_ENDED) {
        tt_lose_process(system, thread);
    }
    if (thread->state == TT_STATE_TERMINATED) {
        tt_live(system, TT_ACTION_END, thread, TT_STATE_ENDED);
    }
}

tt_process_t *tt_living(tt_system_t *system, uint32_t tid)
{
    const tt_process_t *known = known_thread(system, tid);
    if (known != NULL && known->state == TT_STATE_ENDED) {
        forget_thread(system, tid);
    }
    return tt_thread(system, tid);
}

void tt_start_life(tt_system_t *system, tt_process_t *thread)
{
    int32_t stimulus = tt_other(system, TT_KIND_CREATION, (uint32_t)thread->entity);
    tt_activate(system, thread, tt_trigger(system, stimulus, tt_running(system)));
}

static void on_create(tt_system_t *system, uint32_t pid, uint32_t tid)
{
    (void)pid;
    tt_process_t *thread = known_thread(system, tid);
    if (thread != NULL && thread->state == TT_STATE_ENDED) {
        forget_thread(system, tid);
        thread = NULL;
    }
    if (thread != NULL) {
        thread->is_created = true;
    } else if (tid != TT_IDLE) {
        tt_begin_life(system, tid);
        stop_without_memory(system, tt_map_set(&system->created, tid, 1));
    }
}

/* Name a known thread; return NULL if another thread has its number now: the end of the first one
 * was not recorded. */
static tt_process_t *name_known(tt_system_t *system, tt_process_t *thread, uint32_t tid,
                                int64_t said)
{
    if ((said & TT_NAME_THE_SAME) != 0) {
        return thread;
    }
    bool is_another =
        (said & TT_NAME_ANOTHER) != 0 || thread->is_created || thread->state == TT_STATE_UNKNOWN;
    if ((said & TT_NAME_FIRST) != 0 || !is_another) {
        if (system->services.rename((uint32_t)thread->entity, tid) < 0) {
            system->status = TT_SYSTEM_STOPPED;
        }
        return thread;
    }
    forget_thread(system, tid);
    (void)tt_map_pop(&system->ended, tid);
    stop_without_memory(system, tt_map_set(&system->created, tid, 1));
    return NULL;
}

static void on_name(tt_system_t *system, uint32_t pid, uint32_t tid)
{
    if (tid == TT_IDLE) {
        return;
    }
    int64_t said = system->services.name(system->row, tid);
    if (said < 0) {
        system->status = TT_SYSTEM_STOPPED;
    }
    tt_process_t *thread = known_thread(system, tid);
    if (said <= 0 || (thread == NULL && tt_map_get(&system->created, tid) == 0u)) {
        return;
    }
    if (thread != NULL) {
        thread = name_known(system, thread, tid, said);
    }
    if (thread == NULL) {
        thread = tt_thread(system, tid);
    }
    /* The state dump reports an existing thread's state before its name. */
    if (thread->is_created &&
        (thread->state == TT_STATE_TERMINATED || thread->state == TT_STATE_UNKNOWN)) {
        tt_live(system, TT_ACTION_CREATE, thread, TT_STATE_CREATED);
    }
    thread->is_created = false;
    if (pid != 0u && thread->domain != pid) {
        thread->domain = pid;
        int32_t domain = tt_other(system, TT_KIND_DOMAIN, pid);
        tt_note(system, TT_ACTION_OWN, domain, thread->entity, TT_NOT_KNOWN);
    }
}

static void on_destroy(tt_system_t *system, uint32_t pid, uint32_t tid)
{
    (void)pid;
    forget_thread(system, tid);
}

static void on_dead(tt_system_t *system, uint32_t pid, uint32_t tid)
{
    (void)pid;
    if (tid == TT_IDLE) {
        return;
    }
    tt_process_t *thread = tt_thread(system, tid);
    tt_core_t *core = tt_core_here(system);
    if (thread->state == TT_STATE_ENDED) {
        return;
    }
    if (thread->core == NULL) {
        thread->core = core;
    }
    if (thread->state != TT_STATE_CREATED) {
        tt_cancel(system, thread);
        tt_abort(system, thread);
        tt_end(system, thread);
    }
    system->open_runnables -= thread->runnable_count;
    thread->runnable_count = 0;
    tt_queue_clear(&thread->queue);
    thread->is_due = thread->is_queued = thread->is_stopped = false;
    if (tt_core_top(core) == thread) {
        core->stack[core->depth - 1u] = NULL;
    }
    if (tt_is_without_instance(thread->state)) {
        tt_live(system, TT_ACTION_END, thread, TT_STATE_ENDED);
    }
}

/* Suspension ------------------------------------------------------------------------------------
 */

/* Suspend a thread; its open wait ends. */
static void suspend(tt_system_t *system, tt_process_t *thread)
{
    uint8_t before = thread->state;
    thread->is_stopped = false;
    if (before == TT_STATE_RUNNING) {
        tt_stop_runnables(system, thread, TT_ACTION_SUSPEND, TT_STATE_SUSPENDED);
    }
    thread->event = TT_NO_ENTITY;
    thread->relock = NULL;
    tt_process_does(system, TT_ACTION_STOP, thread, TT_STATE_SUSPENDED, TT_NO_ENTITY, TT_NOT_KNOWN);
    thread->suspended_in = before;
}

void tt_continue(tt_system_t *system, tt_process_t *thread)
{
    if (thread->suspended_in == TT_STATE_ACTIVE) {
        tt_process_does(system, TT_ACTION_REACTIVATE, thread, TT_STATE_ACTIVE, TT_NO_ENTITY,
                        TT_NOT_KNOWN);
    } else {
        tt_process_does(system, TT_ACTION_CONTINUE, thread, TT_STATE_READY, TT_NO_ENTITY,
                        thread->suspended_in);
    }
}

void tt_switch_out(tt_system_t *system, tt_process_t *thread)
{
    if (thread->is_stopped &&
        (thread->state == TT_STATE_RUNNING || thread->state == TT_STATE_READY)) {
        suspend(system, thread);
    } else {
        tt_preempt(system, thread);
    }
}

void tt_leave_core(tt_core_t *core, uint32_t tid)
{
    core->stack[core->depth - 1u] = NULL;
    core->left = core->depth == 1u ? tid : TT_IDLE;
}

/* Suspend a thread. A waiting thread is given what it waits for at this time. */
static void on_stopped(tt_system_t *system, uint32_t pid, uint32_t tid)
{
    (void)pid;
    if (tid == TT_IDLE) {
        return;
    }
    tt_process_t *thread = tt_living(system, tid);
    tt_core_t *core = tt_core_here(system);
    thread->is_created = false; /* a new thread would be ready */
    bool is_top = tt_core_top(core) == thread;
    if (is_top && thread->state == TT_STATE_POLLING) {
        tt_end_poll(system, thread);
    }
    switch (thread->state) {
    case TT_STATE_RUNNING:
    case TT_STATE_POLLING:
        if (is_top) {
            suspend(system, thread);
        } else {
            thread->is_stopped = true; /* it is suspended when it leaves its core */
        }
        break;
    case TT_STATE_READY:
    case TT_STATE_ACTIVE:
    case TT_STATE_WAITING:
        suspend(system, thread);
        break;
    case TT_STATE_UNKNOWN:
        thread->is_vague = true;
        tt_process_does(system, TT_ACTION_FOUND, thread, TT_STATE_SUSPENDED, TT_NO_ENTITY,
                        TT_NOT_KNOWN);
        thread->suspended_in = TT_STATE_READY;
        break;
    default:
        break;
    }
    if (is_top) {
        tt_leave_core(core, tid);
    }
}

const tt_named_handler_t tt_life_handlers[] = {
    {"_on_create", on_create}, {"_on_dead", on_dead},       {"_on_destroy", on_destroy},
    {"_on_name", on_name},     {"_on_stopped", on_stopped},
};
const size_t tt_life_handler_count = sizeof tt_life_handlers / sizeof tt_life_handlers[0];
