/*
 * kernel/internal.h - what the parts of the kernel need of each other.
 *
 * State of the scheduler is kept per CPU in kernel_cpu_t, and a thread belongs to one CPU. All of
 * it may be touched by device interrupts that post semaphores, hence only with interrupts masked
 * (kernel_port_lock). Functions marked [locked] expect that of their caller. Kernel calls and the
 * tick run at one level of urgency and never preempt each other.
 */
#ifndef KERNEL_INTERNAL_H
#define KERNEL_INTERNAL_H

#include "kernel.h"
#include "kernel_board.h"
#include "port.h"

#include "tickertape/hooks.h"

/* The domain that owns every thread so far. */
#define KERNEL_DOMAIN 0u

/* What a service returns when the caller blocks: its result is set by who wakes it. */
#define KERNEL_BLOCKED INT32_MIN

struct kernel_cpu {
    kernel_thread_t *current;
    kernel_queue_t ready[KERNEL_PRIORITY_COUNT];
    uint32_t ready_priorities;  /* bit p is set while ready[p] is not empty */
    kernel_timeout_t *timeouts; /* soonest first */
    volatile uint32_t tick_count;
    volatile bool switch_wanted; /* another thread than `current` may have to run */
    kernel_thread_t idle;
};

extern kernel_cpu_t kernel_cpu;

static inline kernel_cpu_t *kernel_this_cpu(void)
{
    return &kernel_cpu;
}

/* queue.c [locked] */
void kernel_queue_push_back(kernel_queue_t *queue, kernel_thread_t *thread);
void kernel_queue_push_front(kernel_queue_t *queue, kernel_thread_t *thread);
/* Behind the last thread that is at least as urgent. Takes as long as threads wait. */
void kernel_queue_insert(kernel_queue_t *queue, kernel_thread_t *thread);
void kernel_queue_remove(kernel_thread_t *thread);

/* scheduler.c [locked] */
void kernel_make_ready(kernel_thread_t *thread);
/* The running thread waits from now on; it already stands in a queue if there is one. */
int32_t kernel_block(kernel_state_t state, const void *object, uint32_t timeout_ticks);
/* A waiting thread goes on with `result`. */
void kernel_unblock(kernel_thread_t *thread, int32_t result);
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

/* The time limit of a wait has come. */
void kernel_wait_expired(kernel_thread_t *thread);

/* thread.c */
void kernel_thread_begin_idle(kernel_cpu_t *cpu);
/* Forget a thread that has ended and will not run again. [locked] */
void kernel_thread_reap(kernel_thread_t *thread);

/* mutex.c [locked] */
void kernel_mutex_release(kernel_mutex_t *mutex);
/* A thread gave up waiting for `mutex`: its owner may have inherited from it. */
void kernel_mutex_abandoned(kernel_mutex_t *mutex);

/* period.c [locked] */
void kernel_period_expired(kernel_thread_t *thread);

/* call.c */
int32_t kernel_call(uint32_t call, kernel_word_t arg0, kernel_word_t arg1, kernel_word_t arg2);

/* The services behind kernel calls: arguments in, result or KERNEL_BLOCKED out. */
typedef int32_t kernel_service_t(const kernel_word_t *args);
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

#endif
