/*
 * kernel_types.h - results, states and basic types of the kernel. Included by kernel.h, which is
 * the manual.
 */
#ifndef KERNEL_TYPES_H
#define KERNEL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel_config.h"
#include "kernel_port.h"

KERNEL_C_BEGIN

#define KERNEL_PRIORITY_COUNT 32u         /* priorities 0 (least urgent) to 31 */
#define KERNEL_FOREVER        UINT32_MAX  /* no time limit */
#define KERNEL_TICKS_MAX      0x7fffffffu /* longest time limit or period, 24 days */
#define KERNEL_ANY_CPU        UINT32_MAX  /* the thread is not bound to a CPU */

typedef enum kernel_result {
    KERNEL_OK = 0,
    KERNEL_ERROR_ARGUMENT = -1, /* a parameter is out of its range */
    KERNEL_ERROR_STATE = -2,    /* not possible in this context or state, e.g. in an interrupt */
    KERNEL_ERROR_TIMEOUT = -3,  /* the time limit passed first */
    KERNEL_ERROR_BUSY = -4,     /* the call would have to wait, but the time limit is 0 */
    KERNEL_ERROR_FULL = -5,     /* no thread number is free, or a semaphore is at its limit */
    KERNEL_ERROR_OWNER = -6,    /* the mutex belongs to another thread or to none */
    KERNEL_ERROR_DEADLOCK = -7, /* the wait would never end: it leads back to the caller */
    KERNEL_ERROR_DELETED = -8,  /* the object was deleted, or the receiver ended without a reply */
    KERNEL_ERROR_DENIED = -9,   /* threads of this domain are not allowed to do that */
} kernel_result_t;

/* State of a thread; the numbers are those of the events of class THREAD. */
typedef enum kernel_state {
    KERNEL_STATE_DEAD = 0,       /* never created, or ended */
    KERNEL_STATE_RUNNING = 1,    /* runs, or is interrupted */
    KERNEL_STATE_READY = 2,      /* waits for a CPU */
    KERNEL_STATE_STOPPED = 3,    /* suspended, otherwise it would be ready */
    KERNEL_STATE_SEND = 4,       /* its message waits for a receiver */
    KERNEL_STATE_RECEIVE = 5,    /* waits for a message or a pulse */
    KERNEL_STATE_REPLY = 6,      /* its message was received; waits for the reply */
    KERNEL_STATE_FLAGS = 11,     /* waits for event flags */
    KERNEL_STATE_SLEEP = 12,     /* sleeps, or waits for its next period */
    KERNEL_STATE_MUTEX = 13,     /* waits for a mutex */
    KERNEL_STATE_CONDITION = 14, /* waits for a condition */
    KERNEL_STATE_JOIN = 15,      /* waits for the end of a thread */
    KERNEL_STATE_SEMAPHORE = 17, /* waits for a semaphore */
} kernel_state_t;

typedef struct kernel_thread kernel_thread_t;
typedef struct kernel_mutex kernel_mutex_t;
typedef struct kernel_sem kernel_sem_t;
typedef struct kernel_timer kernel_timer_t;

/* Function of a thread, which ends when the function returns. */
typedef void (*kernel_entry_t)(void *argument);

/* Queue of threads; private to the kernel. A queue initialised with zeros is empty. */
typedef struct kernel_queue {
    kernel_thread_t *first;
    kernel_thread_t *last;
} kernel_queue_t;

/* A timeout: a function to call at a tick; private to the kernel. */
typedef struct kernel_timeout {
    struct kernel_timeout *next;
    kernel_thread_t *thread;                 /* the thread that it belongs to, or */
    kernel_timer_t *timer;                   /* the timer that expires */
    void (*expire)(kernel_thread_t *thread); /* interrupts are masked */
    uint32_t due_tick;
    bool armed;
} kernel_timeout_t;

KERNEL_C_END

#endif
