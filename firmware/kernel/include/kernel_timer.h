/*
 * kernel_timer.h - software timers: call a short function at a tick, once or periodically.
 *
 * Included by kernel.h, where results, time limits and contexts are explained.
 */
#ifndef KERNEL_TIMER_H
#define KERNEL_TIMER_H

#include "kernel_types.h"

KERNEL_C_BEGIN

/* Handler of a timer. Runs in the interrupt of the tick with interrupts enabled; may make calls
 * that never block. */
typedef void (*kernel_timer_handler_t)(void *argument);

/* A timer. Initialise it with zeros; all fields are private to the kernel. */
struct kernel_timer {
    kernel_timeout_t timeout;
    kernel_timer_handler_t handler; /* NULL: not created, or deleted */
    void *argument;
    uint32_t period_ticks; /* 0: once */
    uint32_t expired_count;
};

/*
 * Create a timer, which is not started. Threads, interrupts, and before kernel_start(). Returns
 * KERNEL_OK, KERNEL_ERROR_ARGUMENT, KERNEL_ERROR_STATE when it exists.
 */
int kernel_timer_create(kernel_timer_t *timer, kernel_timer_handler_t handler, void *argument);

/*
 * Start a timer: it expires `first_ticks` ticks from now, 1 to KERNEL_TICKS_MAX, then every
 * `period_ticks` ticks without drift; 0: once. A running timer restarts. Threads, interrupts, its
 * handler, and before kernel_start(). Returns KERNEL_OK, KERNEL_ERROR_ARGUMENT, KERNEL_ERROR_STATE
 * when it does not exist.
 */
int kernel_timer_start(kernel_timer_t *timer, uint32_t first_ticks, uint32_t period_ticks);

/* Stop a timer; no effect when it does not run. Context and results as for kernel_timer_start(). */
int kernel_timer_stop(kernel_timer_t *timer);

/* Stop and delete a timer; it may be created again. Context and results as for
 * kernel_timer_start(). */
int kernel_timer_delete(kernel_timer_t *timer);

/* Timer handler that posts the semaphore passed as its argument. */
void kernel_timer_post(void *sem);

KERNEL_C_END

#endif
