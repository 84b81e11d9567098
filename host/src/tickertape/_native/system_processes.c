/* Handlers for processes and cores, as in tickertape/model/follower.py and processes.py. */
#include "system_parts.h"

void tt_place(tt_system_t *system, tt_process_t *process, tt_core_t *core)
{
    if (tt_is_on_core(process) && process->core != core) {
        tt_lose_process(system, process);
    }
    process->core = core;
}

void tt_run(tt_system_t *system, tt_process_t *process, tt_core_t *core)
{
    tt_place(system, process, core);
    bool starts = process->state == TT_STATE_ACTIVE;
    if (process->state == TT_STATE_TERMINATED || process->state == TT_STATE_ENDED) {
        return;
    }
    uint8_t action = starts ? TT_ACTION_START : TT_ACTION_RESUME;
    if (process->state == TT_STATE_PARKING) {
        tt_process_does(system, TT_ACTION_POLL_PARKING, process, TT_STATE_POLLING, TT_NO_ENTITY,
                        TT_NOT_KNOWN);
    } else {
        process->is_vague = process->is_vague || (!starts && process->state != TT_STATE_READY);
        tt_process_does(system, action, process, TT_STATE_RUNNING, TT_NO_ENTITY, TT_NOT_KNOWN);
    }
    for (uint32_t i = 0; i < process->runnable_count; i++) {
        tt_runnable_t *runnable = &process->runnables[i];
        if (starts) {
            runnable->instance = tt_next_instance(system, runnable->entity);
        }
        tt_runnable_does(system, action, runnable, TT_STATE_RUNNING, process);
    }
}

void tt_stop_runnables(tt_system_t *system, tt_process_t *process, uint8_t action, uint8_t after)
{
    for (uint32_t i = process->runnable_count; i > 0u; i--) {
        if (process->runnables[i - 1u].state != after) {
            tt_runnable_does(system, action, &process->runnables[i - 1u], after, process);
        }
    }
}

void tt_preempt(tt_system_t *system, tt_process_t *process)
{
    if (process->state == TT_STATE_RUNNING) {
        tt_stop_runnables(system, process, TT_ACTION_SUSPEND, TT_STATE_SUSPENDED);
        tt_process_does(system, TT_ACTION_PREEMPT, process, TT_STATE_READY, TT_NO_ENTITY,
                        TT_NOT_KNOWN);
    } else if (process->state == TT_STATE_POLLING) {
        tt_stop_runnables(system, process, TT_ACTION_SUSPEND, TT_STATE_SUSPENDED);
        tt_process_does(system, TT_ACTION_PARK, process, TT_STATE_PARKING, TT_NO_ENTITY,
                        TT_NOT_KNOWN);
    }
}

void tt_end(tt_system_t *system, tt_process_t *process)
{
    if (process->state == TT_STATE_POLLING) {
        tt_end_poll(system, process); /* only a running process can end */
    }
    if (process->state == TT_STATE_RUNNING || process->state == TT_STATE_UNKNOWN) {
        tt_stop_runnables(system, process, TT_ACTION_TERMINATE, TT_STATE_TERMINATED);
        tt_process_does(system, TT_ACTION_TERMINATE, process, TT_STATE_TERMINATED, TT_NO_ENTITY,
                        TT_NOT_KNOWN);
    }
}

/* End a process that has no core, because another process ended it; lose its runnables. */
void tt_abort(tt_system_t *system, tt_process_t *process)
{
    if (process->state == TT_STATE_PARKING) {
        tt_end_poll(system, process);
    }
    if (!tt_is_off_core(process)) {
        return;
    }
    if (process->wanted != NULL && process->state == TT_STATE_WAITING) {
        tt_leave_queue(system, process);
    }
    process->wanted = process->relock = NULL;
    process->event = TT_NO_ENTITY;
    process->is_stopped = false;
    tt_stop_runnables(system, process, TT_ACTION_LOSE, TT_STATE_UNKNOWN);
    tt_process_does(system, TT_ACTION_ABORT, process, TT_STATE_TERMINATED, TT_NO_ENTITY,
                    TT_NOT_KNOWN);
}

/* Take the core from a thread. If it is not `prev`, switches are missing without a gap, at the
 * earliest since the thread runs. */
static void leave(tt_system_t *system, const tt_core_t *core, tt_process_t *thread, uint32_t prev)
{
    if (tt_map_get(&system->tids, prev) == (uint64_t)(uintptr_t)thread) {
        tt_switch_out(system, thread);
        return;
    }
    uint64_t now = system->ticks;
    system->ticks = tt_is_on_core(thread) ? core->since : now;
    tt_lose_process(system, thread);
    system->ticks = now;
}

static void on_switch(tt_system_t *system, uint32_t prev, uint32_t following)
{
    tt_core_t *core = tt_core_here(system);
    int32_t scheduler = tt_other(system, TT_KIND_SCHEDULER, system->cpu);
    tt_change_t change = {.action = TT_ACTION_SCHEDULE,
                          .entity = scheduler,
                          .object = TT_NO_ENTITY,
                          .value = TT_NOT_KNOWN};
    tt_add(system, &change, NULL);
    if (core->depth == 0u) {
        return; /* without memory */
    }
    tt_process_t *bottom = core->stack[0];
    if (bottom == &system->unknown_process) {
        if (prev != TT_IDLE) {
            tt_preempt(system, tt_thread(system, prev));
        }
    } else if (bottom != NULL && bottom->core == core && core->depth == 1u) {
        leave(system, core, bottom, prev);
    }
    core->is_idle = following == TT_IDLE;
    core->left = TT_IDLE;
    tt_process_t *next = core->is_idle ? NULL : tt_living(system, following);
    if (next != NULL && next->state == TT_STATE_CREATED) {
        tt_start_life(system, next);
    }
    core->stack[0] = next; /* if interrupts are above it, it runs when they end */
    if (core->depth == 1u && next != NULL) {
        tt_run(system, next, core);
    }
}

/* Return the index of a process in a stack; the depth of the stack if it is not there. */
static uint32_t place_of(const tt_core_t *core, const tt_process_t *process)
{
    uint32_t place = 0;
    while (place < core->depth && core->stack[place] != process) {
        place++;
    }
    return place;
}

static void on_interrupt(tt_system_t *system, uint32_t irq, uint32_t ip)
{
    (void)ip;
    tt_core_t *core = tt_core_here(system);
    int32_t stimulus = tt_other(system, TT_KIND_REQUEST, irq);
    tt_process_t *top = tt_core_top(core);
    if (top != NULL) {
        tt_preempt(system, top);
    }
    tt_process_t *process = tt_interrupt(system, irq);
    /* If it is in the stack, its exit is missing, and so are the exits of the interrupts above. */
    tt_lose_stack(system, core, place_of(core, process));
    process->core = core;
    if (process->state != TT_STATE_ACTIVE) {
        tt_activate(system, process, tt_trigger(system, stimulus, NULL));
    }
    tt_stack_push(system, core, process);
    tt_run(system, process, core);
}

static void on_request(tt_system_t *system, uint32_t irq, uint32_t unused)
{
    (void)unused;
    tt_process_t *process = tt_interrupt(system, irq);
    if (process->state == TT_STATE_TERMINATED || process->state == TT_STATE_UNKNOWN) {
        int32_t stimulus = tt_other(system, TT_KIND_REQUEST, irq);
        tt_activate(system, process, tt_trigger(system, stimulus, NULL));
    }
}

static tt_process_t *pop(tt_system_t *system, tt_core_t *core)
{
    system->stacked--;
    return core->stack[--core->depth];
}

static void on_interrupt_end(tt_system_t *system, uint32_t irq, uint32_t in_kernel)
{
    (void)in_kernel;
    tt_core_t *core = tt_core_here(system);
    tt_process_t *process = tt_interrupt(system, irq);
    if (place_of(core, process) == core->depth) {
        /* Its entry is missing, and the process that it interrupted is unknown. */
        tt_lose_stack(system, core, 0);
        if (process->state == TT_STATE_ACTIVE) {
            tt_lose_process(system, process);
        }
        process->core = core;
        tt_end(system, process);
        tt_core_forget(system, core);
        return;
    }
    tt_process_t *inner = pop(system, core);
    while (inner != process) {
        if (inner != NULL) {
            tt_end(system, inner);
        }
        inner = pop(system, core);
    }
    tt_end(system, process);
    tt_note_interrupt_end(system, core);
    tt_process_t *below = tt_core_top(core);
    if (below != NULL && (below->state == TT_STATE_READY || below->state == TT_STATE_ACTIVE ||
                          below->state == TT_STATE_PARKING)) {
        tt_run(system, below, core);
    }
}

static void on_ready(tt_system_t *system, uint32_t pid, uint32_t tid)
{
    (void)pid;
    if (tid == TT_IDLE) {
        return;
    }
    tt_process_t *thread = tt_living(system, tid);
    thread->event = TT_NO_ENTITY;
    thread->relock = NULL;
    thread->is_stopped = false;
    tt_note_quiet(system, thread);
    if (thread->state != TT_STATE_SUSPENDED && tt_begin_due(thread)) {
        return;
    }
    uint8_t state = thread->state;
    if (state == TT_STATE_SUSPENDED) {
        tt_continue(system, thread);
    } else if (state == TT_STATE_CREATED) {
        tt_start_life(system, thread);
    } else if (state == TT_STATE_WAITING) {
        tt_process_does(system, TT_ACTION_RELEASE, thread, TT_STATE_READY, TT_NO_ENTITY,
                        TT_NOT_KNOWN);
    } else if (state == TT_STATE_UNKNOWN) {
        thread->is_vague = true;
        tt_process_does(system, TT_ACTION_FOUND, thread, TT_STATE_READY, TT_NO_ENTITY,
                        TT_NOT_KNOWN);
    } else if (state == TT_STATE_TERMINATED && thread->is_periodic && !thread->is_unsure) {
        tt_begin_without_job(system, thread);
    } else if (!tt_queue_is_empty(&thread->queue)) {
        thread->is_queued = true; /* the next instance becomes ready, not the running thread */
    }
}

static void on_running(tt_system_t *system, uint32_t pid, uint32_t tid)
{
    (void)pid;
    tt_core_t *core = tt_core_here(system);
    if (core->depth == 0u || core->stack[0] != &system->unknown_process) {
        return;
    }
    core->is_idle = tid == TT_IDLE;
    tt_process_t *thread = core->is_idle ? NULL : tt_living(system, tid);
    core->stack[0] = thread;
    bool is_interrupted = core->depth > 1u;
    if (thread == NULL || (is_interrupted && thread->state != TT_STATE_UNKNOWN)) {
        return;
    }
    tt_place(system, thread, core);
    if (thread->state == TT_STATE_CREATED) {
        tt_start_life(system, thread);
    }
    if (thread->state == TT_STATE_UNKNOWN) {
        uint8_t state = is_interrupted ? TT_STATE_READY : TT_STATE_RUNNING;
        tt_process_does(system, TT_ACTION_FOUND, thread, state, TT_NO_ENTITY, TT_NOT_KNOWN);
    } else {
        tt_run(system, thread, core);
    }
}

static void wait_now(tt_system_t *system, tt_process_t *thread, uint32_t state)
{
    thread->is_vague = false;
    int32_t wanted = thread->wanted == NULL ? thread->event : thread->wanted->entity;
    tt_process_does(system, TT_ACTION_WAIT, thread, TT_STATE_WAITING, wanted, state);
}

static void on_blocked(tt_system_t *system, uint32_t pid, uint32_t tid)
{
    (void)pid;
    if (tid == TT_IDLE) {
        return;
    }
    tt_process_t *thread = tt_living(system, tid);
    uint32_t waits_for = system->code & 0x3ffu;
    thread->is_created = false; /* a new thread would be ready */
    tt_line_up(system, thread, system->code);
    tt_core_t *core = tt_core_here(system);
    bool is_top = tt_core_top(core) == thread;
    if (thread->state == TT_STATE_POLLING && is_top) {
        tt_end_poll(system, thread);
    }
    uint8_t state = thread->state;
    if (state == TT_STATE_RUNNING && is_top) {
        tt_stop_runnables(system, thread, TT_ACTION_SUSPEND, TT_STATE_SUSPENDED);
        wait_now(system, thread, waits_for);
    } else if (state == TT_STATE_UNKNOWN || state == TT_STATE_CREATED) {
        thread->is_vague = true;
        /* A sleeping thread may have no instance: a periodic thread sleeps between two of them. */
        if (system->code != TT_EVENT_THREAD_NANOSLEEP) {
            tt_process_does(system, TT_ACTION_FOUND, thread, TT_STATE_WAITING, TT_NO_ENTITY,
                            waits_for);
        }
    } else if (state != TT_STATE_TERMINATED) {
        return;
    }
    if (is_top) {
        tt_leave_core(core, tid);
    }
}

const tt_named_handler_t tt_process_handlers[] = {
    {"_on_blocked", on_blocked},
    {"_on_interrupt", on_interrupt},
    {"_on_interrupt_end", on_interrupt_end},
    {"_on_ready", on_ready},
    {"_on_request", on_request},
    {"_on_running", on_running},
    {"_on_switch", on_switch},
};
const size_t tt_process_handler_count = sizeof tt_process_handlers / sizeof tt_process_handlers[0];
