/*
 * kernel/internal.h - interface between the sources of the kernel.
 *
 * All CPUs share one state. Device interrupts, which may post semaphores, access it too, so all
 * code accesses it under kernel_lock(). The caller of a function marked [locked] holds that lock.
 * Kernel calls, the tick and the context switch run at one priority, the kernel's level: they never
 * preempt each other, and only one CPU at a time runs them (lock.h).
 */
#ifndef KERNEL_INTERNAL_H
#define KERNEL_INTERNAL_H

#include "calls.h"
#include "kernel.h"
#include "kernel_board.h"
#include "lock.h"
#include "port.h"

#include "tickertape/hooks.h"

/* Domain of the threads that use messages and pulses; scheduling policy in trace events. */
#define KERNEL_DOMAIN 0u
#define KERNEL_POLICY TT_HOOK_POLICY_FIFO

/* Result of a service whose caller blocks: the code that wakes the caller sets the result of the
 * call. */
#define KERNEL_BLOCKED INT32_MIN

typedef struct kernel_cpu {
    kernel_thread_t *current;    /* NULL until the CPU has started */
    volatile bool switch_wanted; /* a thread other than `current` may have to run */
    uint32_t irq_depth;          /* nesting depth of interrupts */
    kernel_thread_t idle;
} kernel_cpu_t;

/* Ready threads that may run on the same CPUs. */
typedef struct kernel_ready {
    kernel_queue_t queues[KERNEL_PRIORITY_COUNT];
    uint32_t priorities; /* bit p is set while queues[p] is not empty */
} kernel_ready_t;

/* Number of sets: set 0 is for any CPU, set 1 + n for CPU n only. */
#define KERNEL_READY_SETS (KERNEL_CPUS > 1 ? 1 + KERNEL_CPUS : 1)

typedef struct kernel {
    kernel_cpu_t cpus[KERNEL_CPUS];
    kernel_ready_t ready[KERNEL_READY_SETS];
    kernel_timeout_t *timeouts; /* soonest first */
    volatile uint32_t tick_count;
} kernel_t;

extern kernel_t kernel;

static inline kernel_cpu_t *kernel_this_cpu(void)
{
    return &kernel.cpus[kernel_port_cpu()];
}

/* domain.c */
/* Trace the begin and the end of a kernel call by a thread of a domain. */
void kernel_domain_trace_enter(const kernel_thread_t *thread, uint32_t call);
void kernel_domain_trace_exit(const kernel_thread_t *thread);

/* queue.c [locked] */
void kernel_queue_push_back(kernel_queue_t *queue, kernel_thread_t *thread);
void kernel_queue_push_front(kernel_queue_t *queue, kernel_thread_t *thread);
/* Insert after the last thread of the same or higher priority. Takes time proportional to the
 * number of waiting threads. */
void kernel_queue_insert(kernel_queue_t *queue, kernel_thread_t *thread);
void kernel_queue_remove(kernel_thread_t *thread);

/* scheduler.c [locked] */
/* Make a thread ready, or stopped if it is suspended. */
void kernel_make_ready(kernel_thread_t *thread);
/* Stop a ready thread that is suspended. */
void kernel_stop_ready(kernel_thread_t *thread);
/* Remove a thread from the ready queues. */
void kernel_remove_ready(kernel_thread_t *thread);
/* Block the running thread, which is already in the queue of `object`, if it waits for one. Returns
 * KERNEL_BLOCKED. */
int32_t kernel_block(kernel_state_t state, const void *object, uint32_t timeout_ticks);
/* Set and trace the state of a thread and the object that it waits for. */
void kernel_wait_on(kernel_thread_t *thread, kernel_state_t state, const void *object);
/* End the wait of a thread; its call returns `result`. */
void kernel_unblock(kernel_thread_t *thread, int32_t result);
/* Make another CPU stop or end the thread that it runs, which is marked for that. */
void kernel_stop_running(const kernel_thread_t *thread);
/* Change a thread's priority and its place in its queue. */
void kernel_change_priority(kernel_thread_t *thread, uint32_t priority);

/* End a kernel call. If the caller blocks or another thread has to run first, kernel_switch() ends
 * the call when the caller continues. */
void kernel_call_done(kernel_thread_t *thread);

/* timeout.c [locked] */
void kernel_timeout_start(kernel_timeout_t *timeout, uint32_t due_tick);
void kernel_timeout_cancel(kernel_timeout_t *timeout);
static inline bool kernel_timeout_valid(uint32_t ticks)
{
    return ticks <= KERNEL_TICKS_MAX || ticks == KERNEL_FOREVER;
}

/* wait.c: waits that end without the object. */
/* End a wait whose time limit has passed; also the end of a sleep. [locked] */
void kernel_wait_expired(kernel_thread_t *thread);
/* Remove a thread from the queue in which it waits, if any; it never returns from its call.
 * [locked] */
void kernel_wait_abandon(kernel_thread_t *thread);
/* End every wait in `queue`, because `object` is deleted; one wait per masked section. */
void kernel_wait_end_all(kernel_queue_t *queue, const void *object);

/* thread.c */
/* Create the idle thread of this CPU and make it the running thread. [locked] */
void kernel_thread_begin_idle(void);
/* End the running thread. At the kernel's level; the caller then calls kernel_switch(). Returns
 * KERNEL_BLOCKED. */
int32_t kernel_thread_end_running(void);
/* Free the number of a thread that has ended. [locked] */
void kernel_thread_reap(kernel_thread_t *thread);
/* Return the existing thread with a number, or NULL. [locked] */
kernel_thread_t *kernel_thread_with_number(uint32_t tid);

/* priority.c [locked] */
/* Return the thread that blocks `thread` and inherits from it: the owner of a mutex, a server, or
 * NULL. */
kernel_thread_t *kernel_priority_blocker(const kernel_thread_t *thread);
/* Compute the priority of `thread` again, and of the threads that block it; `by_mutex`: a mutex is
 * the cause, for the trace. */
void kernel_priority_update(kernel_thread_t *thread, bool by_mutex);
/* Return true when `from` is `to`, or waits for it through any chain. */
bool kernel_priority_leads_to(const kernel_thread_t *from, const kernel_thread_t *to);

/* mutex.c [locked] */
void kernel_mutex_grant(kernel_mutex_t *mutex, kernel_thread_t *thread);
/* Remove the owner of a mutex, also when threads wait for it. */
void kernel_mutex_clear_owner(kernel_mutex_t *mutex);
void kernel_mutex_release(kernel_mutex_t *mutex);
/* Return true when `thread` must not wait for a mutex that has an owner: it is the owner, or,
 * unless the mutex is plain, the owner waits for it. */
bool kernel_mutex_refuses(const kernel_mutex_t *mutex, const kernel_thread_t *thread);
/* Add a thread to the waiters of a mutex; the owner inherits its priority. */
void kernel_mutex_enqueue(kernel_mutex_t *mutex, kernel_thread_t *thread);

/* cond.c [locked] */
/* End a thread's wait for a condition: its call locks the mutex again and then returns `result`. */
void kernel_cond_leave(kernel_thread_t *thread, int32_t result);

/* timer.c [locked] */
/* Handler of an expired timer, which the caller calls with interrupts enabled. */
typedef struct kernel_alarm {
    kernel_timer_handler_t handler;
    void *argument;
} kernel_alarm_t;
kernel_alarm_t kernel_timer_expired(kernel_timer_t *timer);

/* delete.c */
typedef enum kernel_kind {
    KERNEL_KIND_MUTEX,
    KERNEL_KIND_COND,
    KERNEL_KIND_SEM,
    KERNEL_KIND_FLAGS,
} kernel_kind_t;

/* period.c [locked] */
void kernel_period_expired(kernel_thread_t *thread);

/* call.c */
int32_t kernel_call(uint32_t call, kernel_word_t arg0, kernel_word_t arg1, kernel_word_t arg2);

#endif
