/* Hooks of threads and of the scheduler. */
#include <stddef.h>

#include "poll.h"
#include "threads.h"
#include "tickertape/hooks.h"
#include "tickertape_zephyr.h"
#include "wait.h"

tt_zephyr_intent_t tt_zephyr_intents[TT_CONFIG_CPUS];

/* The thread that left each CPU last. */
static const struct k_thread *left[TT_CONFIG_CPUS];

void tt_zephyr_wait(uint32_t state, const void *object)
{
    const struct k_thread *self = tt_zephyr_running();
    tt_port_key_t key = tt_port_lock();
    tt_zephyr_intent_t *intent = tt_zephyr_intent();
    intent->object = object;
    intent->state = state;
    intent->thread = self;
    tt_port_unlock(key);
}

/* Clear the intent of this CPU if it belongs to `thread`. Return whether it did. */
static bool forget_intent(const struct k_thread *thread)
{
    tt_port_key_t key = tt_port_lock();
    tt_zephyr_intent_t *intent = tt_zephyr_intent();
    bool known = intent->thread == thread;
    if (known) {
        intent->thread = NULL;
    }
    tt_port_unlock(key);
    return known;
}

void tt_zephyr_waited(void)
{
    (void)forget_intent(tt_zephyr_running());
}

static void report_state(const struct k_thread *thread, uint32_t state, const void *object)
{
    tt_hook_thread_state(state, tt_zephyr_pid(thread), tt_zephyr_tid(thread),
                         tt_zephyr_priority(thread), 0u, object);
}

/* Not inlined, so that the common path need not save registers. */
TT_ZEPHYR_RARE static __attribute__((noinline)) void report_leaving(const struct k_thread *thread)
{
    if (tt_zephyr_tid(thread) == 0u) {
        return;
    }
    uint32_t state = tt_zephyr_state(thread);
    if (state == TT_THREAD_NANOSLEEP || state == TT_THREAD_STOPPED) {
        report_state(thread, state, NULL);
    }
}

/* Sleep and suspension have no hook: they are read from the state of the thread that leaves. With
 * several CPUs interrupts are masked while the kernel switches. */
void tt_zephyr_switched_out(void)
{
    const struct k_thread *thread = tt_zephyr_running();
    left[tt_port_cpu()] = thread;
    if (thread != NULL && (thread->base.thread_state & TT_ZEPHYR_ASLEEP_OR_STOPPED) != 0u) {
        report_leaving(thread);
    }
}

/* On Cortex-M the kernel also switches from a thread to itself, which is not recorded. With several
 * CPUs interrupts are masked here too. */
void tt_zephyr_switched_in(void)
{
    const struct k_thread *thread = tt_zephyr_running();
    const struct k_thread *before = left[tt_port_cpu()];
    if (thread != before) {
        left[tt_port_cpu()] = thread;
        if (tt_route_load(TT_ROUTE_SCHED_CONTEXT_SWITCH) != 0u) {
            tt_hook_context_switch(before == NULL ? 0u : tt_zephyr_number(before),
                                   tt_zephyr_number(thread));
        }
    }
    tt_zephyr_poll_if_wanted();
}

TT_ZEPHYR_RARE void tt_zephyr_thread_create(struct k_thread *thread)
{
    uint32_t pid = tt_zephyr_pid(thread);
    uint32_t tid = tt_zephyr_tid(thread);
    uint32_t entry = 0;
    char digits[TT_ZEPHYR_DIGITS];
#ifdef CONFIG_THREAD_MONITOR
    entry = (uint32_t)(uintptr_t)thread->entry.pEntry;
#endif
    tt_zephyr_threads_add(thread);
    tt_hook_thread_create(pid, tid, tt_zephyr_name(thread, digits), tt_zephyr_priority(thread),
                          TT_HOOK_POLICY_FIFO, entry);
}

TT_ZEPHYR_RARE void tt_zephyr_thread_name(struct k_thread *thread)
{
    char digits[TT_ZEPHYR_DIGITS];
    if (thread == NULL) {
        thread = tt_zephyr_running();
    }
    tt_emit_thread_name(tt_zephyr_pid(thread), tt_zephyr_tid(thread),
                        tt_zephyr_name(thread, digits));
}

/* The running thread enters user mode: from now on its domain is that of its memory domain. */
TT_ZEPHYR_RARE void tt_zephyr_thread_user(void)
{
    tt_zephyr_thread_name(tt_zephyr_running());
}

void tt_zephyr_thread_ready(struct k_thread *thread)
{
    tt_hook_thread_ready(tt_zephyr_pid(thread), tt_zephyr_tid(thread), tt_zephyr_priority(thread),
                         0u);
}

void tt_zephyr_thread_pend(struct k_thread *thread)
{
    const tt_zephyr_intent_t intent = tt_zephyr_intent_now();
    bool known = intent.thread == thread;
    report_state(thread, known ? intent.state : TT_THREAD_CONDVAR, known ? intent.object : NULL);
    (void)forget_intent(thread);
}

/* A thread that suspends itself is recorded when it leaves the CPU. */
TT_ZEPHYR_RARE void tt_zephyr_thread_suspend(struct k_thread *thread)
{
    if (thread != tt_zephyr_running()) {
        report_state(thread, TT_THREAD_STOPPED, NULL);
    }
}

TT_ZEPHYR_RARE void tt_zephyr_thread_abort(struct k_thread *thread)
{
    report_state(thread, TT_THREAD_DEAD, NULL);
    tt_hook_thread_destroy(tt_zephyr_pid(thread), tt_zephyr_tid(thread));
    tt_zephyr_threads_remove(thread);
}

/*
 * A thread that is about to wait for a mutex raises the priority of the owner; a thread that
 * releases a mutex restores its own. Every other change is explicit.
 */
TT_ZEPHYR_RARE void tt_zephyr_thread_priority(struct k_thread *thread)
{
    const tt_zephyr_intent_t intent = tt_zephyr_intent_now();
    const struct k_thread *self = tt_zephyr_running();
    uint32_t tid = tt_zephyr_tid(thread);
    uint32_t priority = tt_zephyr_priority(thread);
    if (thread == self && intent.unlocking == self) {
        tt_hook_mutex_restore(tid, priority);
    } else if (thread != self && intent.thread == self && intent.state == TT_THREAD_MUTEX) {
        tt_hook_mutex_inherit(tid, priority);
    } else {
        tt_hook_thread_priority(tid, priority);
    }
}
