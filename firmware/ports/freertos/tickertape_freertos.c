/*
 * Events of tasks and of the scheduler, from FreeRTOS' trace macros (tickertape_freertos.h).
 *
 * A wait is recorded when the task leaves the processor, with the cause that an earlier macro has
 * noted. The kernel reports the decision to wait before its last check, and a task that is woken in
 * between does not wait. No other task runs on this core in between, so one note per core is
 * enough; the kernel's lock orders both.
 */
#include <stddef.h>
#include <string.h>

#include "freertos_port.h"
#include "tickertape/hooks.h"
#include "tickertape/port.h"

#if TT_CONFIG_CPUS < TT_FREERTOS_CORES
#error                                                                                             \
    "tickertape: each core needs its own rings; compile the recorder with -DTT_CONFIG_CPUS=2 for two cores"
#endif

/* A state in addition to TT_THREAD_*. */
#define STATE_DEAD 0xffu

#define PID 0u

#define NONE {.running = TT_FREERTOS_NO_TASK}

tt_freertos_now_t tt_freertos_now[TT_FREERTOS_PLACES] = {
#if TT_FREERTOS_CORES > 1
    NONE, NONE, NONE, NONE, NONE, NONE, NONE,
#endif
    NONE,
};

/* The idle task. Before the first task runs, it is only assumed from name and priority. */
static struct {
    tt_freertos_task_t task;
    const char *name;
} idle;

static void set_state(const tt_freertos_task_t *task, uint32_t state)
{
    *task->number = (*task->number & TT_FREERTOS_NUMBER_MASK) | state << TT_FREERTOS_STATE_SHIFT;
}

static uint32_t number_of(const tt_freertos_task_t *task)
{
    return (uint32_t)*task->number & TT_FREERTOS_NUMBER_MASK;
}

#if defined(INCLUDE_uxTaskGetStackHighWaterMark) && INCLUDE_uxTaskGetStackHighWaterMark

void tt_freertos_stack(void *task)
{
    uint32_t number = task == NULL ? tt_freertos_self()
                                   : (uint32_t)uxTaskGetTaskNumber(task) & TT_FREERTOS_NUMBER_MASK;
    uint32_t words = (uint32_t)uxTaskGetStackHighWaterMark(task);
    tt_emit_system_stack_unused(number, words * (uint32_t)sizeof(StackType_t));
}

#endif

void tt_freertos_current_thread(uint32_t *pid, uint32_t *tid)
{
    *pid = 0u;
    *tid = tt_freertos_thread();
}

bool tt_freertos_is_known(const void *tcb)
{
    return tcb != idle.task.tcb || tt_freertos_is_running();
}

static void emit_created(const tt_freertos_task_t *task, const char *name)
{
    tt_hook_thread_create(PID, number_of(task), name, task->priority, TT_HOOK_POLICY_ROUND_ROBIN,
                          0u);
}

/* Set and record the state of a task, except of the idle task, which has number 0 and no states for
 * hosts. */
static void enter_state(const tt_freertos_task_t *task, uint32_t state, uint32_t recorded)
{
    if (number_of(task) != 0u) {
        set_state(task, state);
        tt_hook_thread_state(recorded, PID, number_of(task), task->priority, 0u, NULL);
    }
}

static void emit_ready(const tt_freertos_task_t *task)
{
    set_state(task, 0u);
    tt_freertos_ready(PID, number_of(task), task->priority);
}

void tt_freertos_created(const tt_freertos_task_t *task, uint32_t number, const char *name,
                         const char *idle_name, bool is_started)
{
    *task->number = number & TT_FREERTOS_NUMBER_MASK;
    if (number == 0u) { /* several cores: the kernel marks its idle tasks */
        if (idle.task.tcb == NULL) {
            idle.task = *task;
            idle.name = idle_name;
            tt_freertos_remember_task(task->tcb, idle_name);
        }
        return;
    }
    tt_freertos_remember_task(task->tcb, name);
    if (TT_FREERTOS_CORES == 1 && !is_started && task->priority == 0u &&
        strncmp(name, idle_name, configMAX_TASK_NAME_LEN - 1) == 0) {
        if (idle.task.tcb != NULL) { /* the previous one was a task of the application */
            emit_created(&idle.task, idle.name);
            emit_ready(&idle.task);
        }
        idle.task = *task; /* recorded as ready when it is known not to be the idle task */
        idle.name = name;
        return;
    }
    set_state(task, TT_FREERTOS_NEW);
    emit_created(task, name);
    tt_emit_system_mapname((uint32_t)TT_OBJECT_KIND_CHANNEL, tt_object_id(task->tcb), name);
}

void tt_freertos_deleted(const tt_freertos_task_t *task)
{
    tt_freertos_forget_task(task->tcb);
    TT_FREERTOS_NOW.intent = 0; /* a task that deletes itself no longer waits */
    if (task->tcb == idle.task.tcb && !tt_freertos_is_running()) {
        idle.task.tcb = NULL;
        return;
    }
    enter_state(task, STATE_DEAD, TT_THREAD_DEAD);
    tt_hook_thread_destroy(PID, number_of(task));
}

void tt_freertos_ready(uint32_t pid, uint32_t number, uint32_t priority)
{
    tt_hook_thread_ready(pid, number, priority, 0u);
}

void tt_freertos_left(uint32_t pid, uint32_t number, uint32_t state, uint32_t priority)
{
    if (state >= TT_THREAD_STATE_COUNT) {
        __builtin_unreachable(); /* the port sets no other state: avoids a test in the emitter */
    }
    tt_hook_thread_state(state, pid, number, priority, 0u, TT_FREERTOS_NOW.object);
}

#if TT_FREERTOS_CORES > 1

/* Begin to record a core, which first runs its idle task; the kernel reports that for the first
 * core only. */
static void begin_core(void)
{
    tt_port_key_t key = tt_port_lock();
    uint32_t core = TT_FREERTOS_CORE();
    configASSERT(tt_port_cpu() == core);
    tt_freertos_now[core].running = 0u;
    tt_port_unlock(key);
    tt_emit_thread_create(PID, 0u, 0u, TT_HOOK_POLICY_ROUND_ROBIN, 0u);
    if (core == 0u) {
        tt_emit_thread_name(PID, 0u, idle.name);
    }
}

void tt_freertos_comes(const tt_freertos_task_t *task)
{
    if (TT_FREERTOS_NOW.running == TT_FREERTOS_NO_TASK) {
        begin_core();
    }
    uint32_t before = TT_FREERTOS_NOW.running;
    uint32_t next = number_of(task);
    if (next != before) {
        TT_FREERTOS_NOW.running = next;
        tt_freertos_switched(before, next);
    }
    tt_freertos_poll();
}

/* Record why a task leaves its core; it is in no ready list: it waits, or was deleted. */
void tt_freertos_leaves(const tt_freertos_task_t *task)
{
    uint32_t intent = TT_FREERTOS_NOW.intent;
    TT_FREERTOS_NOW.intent = 0;
    if (intent == STATE_DEAD) {
        tt_freertos_deleted(task);
    } else if (intent != 0u) {
        set_state(task, intent);
        tt_freertos_left(PID, number_of(task), intent, task->priority);
    }
}

static void intend_on(uint32_t core, uint32_t state)
{
    tt_freertos_now[core].object = NULL;
    tt_freertos_now[core].intent = state;
}

static uint32_t core_of(uint32_t number)
{
    uint32_t core = TT_FREERTOS_CORES - 1;
    while (core != 0u && tt_freertos_now[core].running != number) {
        core--;
    }
    return core;
}

/* Changes of running tasks, on this or another core, are recorded when the tasks leave the
 * processor. */

void tt_freertos_dies(const tt_freertos_task_t *task)
{
    intend_on(core_of(number_of(task)), STATE_DEAD);
}

void tt_freertos_suspended(const tt_freertos_task_t *task, bool has_core)
{
    if (has_core) {
        intend_on(core_of(number_of(task)), TT_THREAD_STOPPED);
    } else {
        enter_state(task, TT_THREAD_STOPPED, TT_THREAD_STOPPED);
    }
}

#else

/* The suspension of the running task is recorded when it leaves the processor. */
void tt_freertos_suspended(const tt_freertos_task_t *task, bool has_core)
{
    if (has_core) {
        tt_freertos_intend(TT_THREAD_STOPPED, NULL);
    } else {
        enter_state(task, TT_THREAD_STOPPED, TT_THREAD_STOPPED);
    }
}

void tt_freertos_first(const tt_freertos_task_t *task, const void *idle_tcb)
{
    if (idle.task.tcb != NULL) {
        if (idle.task.tcb == idle_tcb) { /* thread 0 has no create event and no states */
            *idle.task.number = 0;
            tt_emit_thread_name(PID, 0u, idle.name);
        } else {
            emit_created(&idle.task, idle.name);
            emit_ready(&idle.task);
            idle.task.tcb = NULL;
        }
    }
    tt_freertos_now[0].running = number_of(task);
    tt_hook_thread_state(TT_THREAD_RUNNING, PID, number_of(task), task->priority, 0u, NULL);
}

#define begin_core() (void)0

#endif

void tt_freertos_switched(uint32_t previous, uint32_t next)
{
    tt_hook_context_switch(previous, next);
}

/* Return the queue whose list of tasks waiting to receive is `event_list`. */
static const void *queue_of(const void *event_list)
{
    return (const uint8_t *)event_list - offsetof(StaticQueue_t, xDummy3[1]);
}

/* Store that the running task sleeps or, with an event list, that the timer task waits for its
 * queue. */
void tt_freertos_slept(const void *event_list)
{
    if (event_list == NULL) {
        tt_freertos_intend(TT_THREAD_NANOSLEEP, NULL);
        return;
    }
#if TT_FREERTOS_DEFERRED
    tt_freertos_timers(queue_of(event_list));
#endif
    tt_freertos_intend(TT_THREAD_RECEIVE, queue_of(event_list));
}

void tt_freertos_priority(uint32_t number, uint32_t priority)
{
    tt_hook_thread_priority(number, priority);
}

void tt_freertos_inherit(uint32_t number, uint32_t priority)
{
    tt_hook_mutex_inherit(number, priority);
}

void tt_freertos_restore(uint32_t number, uint32_t priority)
{
    tt_hook_mutex_restore(number, priority);
}

void tt_freertos_tick(uint32_t count)
{
    tt_hook_tick(count);
    tt_freertos_on_tick(count);
}

/* Bits of the exceptions whose entry was reported: from V11 on portYIELD_FROM_ISR() also reports an
 * exit for handlers that have not reported an entry. A handler that interrupts a change of a word
 * here restores the word. */
static uint32_t entered[TT_FREERTOS_CORES][16];

void tt_freertos_isr_enter(void)
{
    uint32_t exception = tt_port_exception();
    if (TT_FREERTOS_CORES > 1 && tt_freertos_is_running() &&
        tt_freertos_self() == TT_FREERTOS_NO_TASK) {
        begin_core();
    }
    entered[TT_FREERTOS_CORE()][exception / 32u] |= 1u << exception % 32u;
    tt_hook_irq_enter(exception, tt_freertos_thread());
}

void tt_freertos_isr_exit(void)
{
    uint32_t exception = tt_port_exception();
    uint32_t *word = &entered[TT_FREERTOS_CORE()][exception / 32u];
    if ((*word & 1u << exception % 32u) != 0u) {
        *word &= ~(1u << exception % 32u);
        tt_hook_irq_exit(exception, 0u, tt_freertos_thread());
    }
}
