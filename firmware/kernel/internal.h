/*
 * kernel/internal.h - what the parts of the kernel need of each other.
 *
 * All CPUs share one state. It may be touched by device interrupts that post semaphores, hence only
 * in a section of kernel_lock(). Functions marked [locked] expect that of their caller. Kernel
 * calls, the tick and the context switch run at one level of urgency: they never preempt each
 * other, and no two CPUs are there at the same time (lock.h).
 */
#ifndef KERNEL_INTERNAL_H
#define KERNEL_INTERNAL_H

#include "kernel.h"
#include "kernel_board.h"
#include "lock.h"
#include "port.h"

#include "tickertape/hooks.h"

/* The domain of whoever uses messages and pulses, and how threads of equal priority take turns. */
#define KERNEL_DOMAIN 0u
#define KERNEL_POLICY TT_HOOK_POLICY_FIFO

/* What a service returns when the caller blocks: its result is set by who wakes it. */
#define KERNEL_BLOCKED INT32_MIN

typedef struct kernel_cpu {
    kernel_thread_t *current;    /* NULL until the CPU has begun */
    volatile bool switch_wanted; /* another thread than `current` may have to run */
    uint32_t irq_depth;          /* interrupts that are being served */
    kernel_thread_t idle;
} kernel_cpu_t;

/* Ready threads that may run on the same CPUs. */
typedef struct kernel_ready {
    kernel_queue_t queues[KERNEL_PRIORITY_COUNT];
    uint32_t priorities; /* bit p is set while queues[p] is not empty */
} kernel_ready_t;

/* Set 0 is for any CPU, set 1 + n for CPU n only. */
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
/* A kernel call of a thread that is not the core's begins, ends. */
void kernel_domain_tell_enter(const kernel_thread_t *thread, uint32_t call);
void kernel_domain_tell_exit(const kernel_thread_t *thread);

/* queue.c [locked] */
void kernel_queue_push_back(kernel_queue_t *queue, kernel_thread_t *thread);
void kernel_queue_push_front(kernel_queue_t *queue, kernel_thread_t *thread);
/* Behind the last thread that is at least as urgent. Takes as long as threads wait. */
void kernel_queue_insert(kernel_queue_t *queue, kernel_thread_t *thread);
void kernel_queue_remove(kernel_thread_t *thread);

/* scheduler.c [locked] */
/* A thread could run from now on; when it is suspended it stops instead. */
void kernel_make_ready(kernel_thread_t *thread);
/* A ready thread is suspended. */
void kernel_stop_ready(kernel_thread_t *thread);
/* The running thread waits from now on; it already stands in a queue if there is one. */
int32_t kernel_block(kernel_state_t state, const void *object, uint32_t timeout_ticks);
/* A thread that waits goes on waiting, for something else. */
void kernel_wait_on(kernel_thread_t *thread, kernel_state_t state, const void *object);
/* A waiting thread goes on with `result`. */
void kernel_unblock(kernel_thread_t *thread, int32_t result);
/* A suspended thread runs on another CPU: have it stopped there. */
void kernel_stop_running(const kernel_thread_t *thread);
/* Move a thread to another priority, wherever it stands. */
void kernel_change_priority(kernel_thread_t *thread, uint32_t priority);

/* A kernel call is over unless the caller blocks or another thread has to run first; then
 * kernel_switch() ends it when the caller goes on. */
void kernel_call_done(kernel_thread_t *thread);

/* timeout.c [locked] */
void kernel_timeout_start(kernel_timeout_t *timeout, uint32_t due_tick);
void kernel_timeout_cancel(kernel_timeout_t *timeout);
static inline bool kernel_timeout_valid(uint32_t ticks)
{
    return ticks <= KERNEL_TICKS_MAX || ticks == KERNEL_FOREVER;
}

/* wait.c: waits that end without what was waited for. */
/* The time limit of a wait has come. [locked] */
void kernel_wait_expired(kernel_thread_t *thread);
/* End every wait in `queue`: `object` is deleted. One at a time, to mask interrupts briefly. */
void kernel_wait_end_all(kernel_queue_t *queue, const void *object);

/* thread.c */
/* This CPU begins as its idle thread. [locked] */
void kernel_thread_begin_idle(void);
/* Forget a thread that has ended and will not run again. [locked] */
void kernel_thread_reap(kernel_thread_t *thread);
/* The living thread with a number, or NULL. [locked] */
kernel_thread_t *kernel_thread_with_number(uint32_t tid);

/* priority.c [locked] */
/* Who keeps `thread` waiting and inherits from it: a mutex's owner, a server, or NULL. */
kernel_thread_t *kernel_priority_heir(const kernel_thread_t *thread);
/* What `thread` inherits has changed; `by_mutex` says from whom, for the trace. */
void kernel_priority_update(kernel_thread_t *thread, bool by_mutex);
/* True when `from` is `to` or waits for it, over any chain. */
bool kernel_priority_leads_to(const kernel_thread_t *from, const kernel_thread_t *to);

/* mutex.c [locked] */
void kernel_mutex_grant(kernel_mutex_t *mutex, kernel_thread_t *thread);
/* It has no owner afterwards, whoever waits. */
void kernel_mutex_take_back(kernel_mutex_t *mutex);
void kernel_mutex_release(kernel_mutex_t *mutex);
/* Stand in the queue of a mutex; its owner inherits. */
void kernel_mutex_line_up(kernel_mutex_t *mutex, kernel_thread_t *thread);

/* cond.c [locked] */
/* A thread waits no longer for its condition: it locks the mutex again and then has `result`. */
void kernel_cond_leave(kernel_thread_t *thread, int32_t result);

/* timer.c [locked] */
/* A timer has expired: what to do when interrupts are enabled again. */
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

/* The services behind kernel calls: arguments in, result or KERNEL_BLOCKED out. */
typedef int32_t kernel_service_t(const kernel_word_t *args);
kernel_service_t kernel_service_trace_event;
kernel_service_t kernel_service_thread_create;
kernel_service_t kernel_service_thread_exit;
kernel_service_t kernel_service_thread_join;
kernel_service_t kernel_service_yield;
kernel_service_t kernel_service_sleep;
kernel_service_t kernel_service_set_period;
kernel_service_t kernel_service_wait_period;
kernel_service_t kernel_service_mutex_lock;
kernel_service_t kernel_service_mutex_trylock;
kernel_service_t kernel_service_mutex_unlock;
kernel_service_t kernel_service_sem_wait;
kernel_service_t kernel_service_sem_trywait;
kernel_service_t kernel_service_sem_post;
kernel_service_t kernel_service_set_priority;
kernel_service_t kernel_service_bind;
kernel_service_t kernel_service_suspend;
kernel_service_t kernel_service_resume;
kernel_service_t kernel_service_delete;
kernel_service_t kernel_service_cond_wait;
kernel_service_t kernel_service_cond_signal;
kernel_service_t kernel_service_flags_set;
kernel_service_t kernel_service_flags_clear;
kernel_service_t kernel_service_flags_wait;
kernel_service_t kernel_service_message_send;
kernel_service_t kernel_service_message_receive;
kernel_service_t kernel_service_message_reply;
kernel_service_t kernel_service_pulse_send;
kernel_service_t kernel_service_channel_delete;
kernel_service_t kernel_service_timer_create;
kernel_service_t kernel_service_timer_start;
kernel_service_t kernel_service_timer_delete;

#endif
