/*
 * kernel.h - the reference kernel of tickertape: threads, mutexes, semaphores, interrupts.
 *
 * A small preemptive kernel with fixed priorities. The thread with the highest priority that is
 * ready runs; threads of equal priority take turns only when the running one blocks or yields
 * (first in, first out, no time slices). Everything is static: the caller owns threads, stacks
 * and objects, and they have to live as long as the kernel uses them.
 *
 * Every function here is a kernel call made by a thread unless its text says more. Kernel calls
 * trap (SVC on Cortex-M), so they must not be made with interrupts masked. Inside the kernel
 * device interrupts stay enabled but for short sections, so they may preempt kernel calls.
 *
 * Everything that happens is told through tickertape/hooks.h: each kernel call on entry and, when
 * the calling thread goes on, on exit with its result; each change of state; each interrupt.
 * A thread that is switched out without a state event before it is still ready: it was preempted
 * or it yielded.
 *
 * Results: KERNEL_OK or another number >= 0, or one of the negative numbers of kernel_result_t.
 * Time is counted in kernel ticks (KERNEL_TICK_HZ, 1 ms by default). A time limit of n ticks ends
 * with the nth tick from now, that is between n - 1 and n periods later. It is 1 to
 * KERNEL_TICKS_MAX, or KERNEL_FOREVER for none; 0 means not to wait at all.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel_config.h"
#include "kernel_port.h"

#define KERNEL_PRIORITY_COUNT 32u         /* priorities 0 (least urgent) to 31 */
#define KERNEL_FOREVER        UINT32_MAX  /* no time limit */
#define KERNEL_TICKS_MAX      0x7fffffffu /* longest time limit or period, 24 days */

typedef enum kernel_result {
    KERNEL_OK = 0,
    KERNEL_ERROR_ARGUMENT = -1, /* a parameter is out of its range */
    KERNEL_ERROR_STATE = -2,    /* not possible here or now, e.g. blocking in an interrupt */
    KERNEL_ERROR_TIMEOUT = -3,  /* the time limit passed first */
    KERNEL_ERROR_BUSY = -4,     /* would have to wait, and was told not to */
    KERNEL_ERROR_FULL = -5,     /* no thread number is free, or a semaphore is at its limit */
    KERNEL_ERROR_OWNER = -6,    /* the mutex belongs to another thread or to none */
    KERNEL_ERROR_DEADLOCK = -7, /* waiting would never end: the wait leads back to the caller */
} kernel_result_t;

/* State of a thread; the numbers are those of the events of class THREAD. */
typedef enum kernel_state {
    KERNEL_STATE_DEAD = 0,       /* never created, or ended */
    KERNEL_STATE_RUNNING = 1,    /* runs, or is interrupted */
    KERNEL_STATE_READY = 2,      /* could run */
    KERNEL_STATE_SLEEP = 12,     /* sleeps, or waits for its next period */
    KERNEL_STATE_MUTEX = 13,     /* waits for a mutex */
    KERNEL_STATE_JOIN = 15,      /* waits for the end of a thread */
    KERNEL_STATE_SEMAPHORE = 17, /* waits for a semaphore */
} kernel_state_t;

typedef struct kernel_thread kernel_thread_t;
typedef struct kernel_mutex kernel_mutex_t;
typedef struct kernel_sem kernel_sem_t;
typedef struct kernel_cpu kernel_cpu_t;

/* Threads in a row; private to the kernel. All zero is an empty one. */
typedef struct kernel_queue {
    kernel_thread_t *first;
    kernel_thread_t *last;
} kernel_queue_t;

/* Something to do at a tick; private to the kernel. */
typedef struct kernel_timeout {
    struct kernel_timeout *next;
    kernel_thread_t *thread;
    void (*expire)(kernel_thread_t *thread); /* interrupts are masked */
    uint32_t due_tick;
    bool armed;
} kernel_timeout_t;

/* What a thread executes; it ends when this returns. */
typedef void (*kernel_entry_t)(void *argument);

/* A thread. All zero before it is created; every field is private to the kernel. */
struct kernel_thread {
    kernel_port_context_t context;
    kernel_cpu_t *cpu; /* where it runs */
    const char *name;
    kernel_entry_t entry;
    void *argument;
    void *stack;
    size_t stack_bytes;

    kernel_thread_t *next; /* in `queue` */
    kernel_thread_t *previous;
    kernel_queue_t *queue;   /* where it stands: ready or waiting; NULL while it runs */
    kernel_queue_t joiners;  /* who waits for its end */
    kernel_mutex_t *held;    /* mutexes that it owns */
    kernel_mutex_t *wanted;  /* the mutex that it waits for */
    kernel_sem_t *granted;   /* the semaphore that it got while it waited */
    const void *wait_object; /* what it waits for, for the trace */
    kernel_timeout_t wait_timeout;

    kernel_timeout_t period_timeout;
    uint32_t period_ticks; /* 0: not periodic */
    uint32_t activated_count;
    uint32_t completed_count;
    bool awaits_period;

    bool in_call; /* in a kernel call whose exit was not traced yet */
    uint8_t call;
    uint8_t tid;
    uint8_t state; /* kernel_state_t */
    uint8_t priority;
    uint8_t base_priority; /* without what it inherited */
    int32_t call_result;
};

/* Threads. ------------------------------------------------------------------------------------ */

/*
 * Create a thread and make it ready; it may run before this returns. `name` stays the caller's
 * and has to live as long as the thread. `stack` is aligned to 8 bytes, `stack_bytes` is at least
 * KERNEL_STACK_MIN_BYTES; the native port checks both and uses a stack of its own. The thread's
 * number is the lowest that is free, from 1.
 * Threads, and before kernel_start().
 * Returns KERNEL_OK, KERNEL_ERROR_ARGUMENT, KERNEL_ERROR_STATE when `thread` is alive,
 * KERNEL_ERROR_FULL when KERNEL_MAX_THREADS threads live.
 */
int kernel_thread_create(kernel_thread_t *thread, const char *name, kernel_entry_t entry,
                         void *argument, uint32_t priority, void *stack, size_t stack_bytes);

/* End the calling thread. Mutexes that it still owns are unlocked. */
_Noreturn void kernel_thread_exit(void);

/*
 * Wait until `thread` has ended; its memory may be used again then. Blocks.
 * Returns KERNEL_OK, KERNEL_ERROR_TIMEOUT, KERNEL_ERROR_BUSY, KERNEL_ERROR_DEADLOCK for oneself.
 */
int kernel_thread_join(kernel_thread_t *thread, uint32_t timeout_ticks);

/* Let the other ready threads of the same priority run first. */
void kernel_yield(void);

/* Sleep until the given number of ticks has come; 0 returns at once. Blocks. */
int kernel_sleep(uint32_t ticks);

/*
 * Make a thread periodic: it is activated now and then every `period_ticks` ticks, without drift.
 * Activations are counted from 1. 0 ends it. Threads, and before kernel_start().
 * Returns KERNEL_OK, KERNEL_ERROR_ARGUMENT, KERNEL_ERROR_STATE when the thread does not live.
 */
int kernel_thread_set_period(kernel_thread_t *thread, uint32_t period_ticks);

/*
 * The work of one activation is done: wait for the next. Blocks unless it has come already; an
 * activation that comes while the one before is not done is a deadline miss, is traced as such,
 * and still gets its turn.
 * Returns how many activations are due beside the one that begins now (0 when all is in time), or
 * KERNEL_ERROR_STATE when the thread is not periodic.
 */
int kernel_wait_period(void);

/* The calling thread, in an interrupt the interrupted one, NULL before kernel_start(). Anywhere. */
kernel_thread_t *kernel_thread_self(void);

/* The number of a living thread; 0, which is the idle thread's, for NULL. Anywhere. */
uint32_t kernel_thread_number(const kernel_thread_t *thread);

/* What is known of a thread at one moment. */
typedef struct kernel_thread_info {
    const char *name;
    uint32_t tid;
    uint32_t priority; /* with what it inherited */
    kernel_state_t state;
} kernel_thread_info_t;

/*
 * Describe thread number `tid`, 0 (idle) to KERNEL_MAX_THREADS - 1. No kernel call, not traced.
 * Anywhere. Returns false when no such thread lives.
 */
bool kernel_thread_by_index(uint32_t tid, kernel_thread_info_t *info);

/* Mutexes. ------------------------------------------------------------------------------------ */

/*
 * A lock with one owner. Its owner runs with at least the priority of the most urgent thread that
 * waits for it, also over a chain of mutexes, and gives that up with unlocking. It passes to the
 * most urgent waiter, of equal ones to the first. Not recursive. All zero is an unlocked mutex.
 */
struct kernel_mutex {
    kernel_thread_t *owner;
    kernel_mutex_t *next_held; /* of the same owner */
    kernel_queue_t waiters;
};

/*
 * Become the owner. Blocks while another thread is.
 * Returns KERNEL_OK, KERNEL_ERROR_TIMEOUT, KERNEL_ERROR_BUSY (with 0 ticks), KERNEL_ERROR_DEADLOCK
 * when the caller owns it or its owner waits, over any chain of mutexes, for the caller.
 */
int kernel_mutex_lock(kernel_mutex_t *mutex, uint32_t timeout_ticks);

/* Become the owner if nobody is. Returns KERNEL_OK or KERNEL_ERROR_BUSY. */
int kernel_mutex_trylock(kernel_mutex_t *mutex);

/* Returns KERNEL_OK, or KERNEL_ERROR_OWNER when the caller does not own it. */
int kernel_mutex_unlock(kernel_mutex_t *mutex);

/* Semaphores. --------------------------------------------------------------------------------- */

/* A count of permits, 0 to `limit`. The most urgent waiter gets the next, of equal ones the first.
 */
struct kernel_sem {
    uint32_t count;
    uint32_t limit;
    kernel_queue_t waiters;
};

/* Initial value of a semaphore; `limit` is 1 or more. */
#define KERNEL_SEM_INIT(initial_count, limit_count)                                                \
    {.count = (initial_count), .limit = (limit_count)}

/* Take a permit. Blocks while there is none. KERNEL_OK, KERNEL_ERROR_TIMEOUT or KERNEL_ERROR_BUSY.
 */
int kernel_sem_wait(kernel_sem_t *sem, uint32_t timeout_ticks);

/* Take a permit if there is one. Threads and interrupts. KERNEL_OK or KERNEL_ERROR_BUSY. */
int kernel_sem_trywait(kernel_sem_t *sem);

/*
 * Give a permit. Threads, interrupts, and before kernel_start(); in an interrupt it is no kernel
 * call and the thread that it wakes runs when all interrupts are done.
 * Returns KERNEL_OK, or KERNEL_ERROR_FULL when the count is at its limit.
 */
int kernel_sem_post(kernel_sem_t *sem);

/* Interrupts and time. ------------------------------------------------------------------------ */

typedef void (*kernel_irq_handler_t)(void *argument);

/* How urgent an interrupt is. */
typedef enum kernel_irq_level {
    KERNEL_IRQ_LEVEL_KERNEL, /* like the kernel itself: waits for kernel calls to end */
    KERNEL_IRQ_LEVEL_DEVICE, /* preempts kernel calls */
} kernel_irq_level_t;

/*
 * Let `handler` serve a device interrupt, traced on entry and exit, and enable it.
 * A handler may post semaphores; it must not make any other kernel call that may block.
 * Threads, and before kernel_start(). Returns KERNEL_OK or KERNEL_ERROR_ARGUMENT.
 */
int kernel_irq_attach(uint32_t irq, kernel_irq_level_t level, kernel_irq_handler_t handler,
                      void *argument);

/* Ticks since kernel_start(), modulo 2^32. Anywhere. */
uint32_t kernel_ticks(void);

/*
 * Compute something for about so much time of the processor. Being preempted does not count, so
 * the end moves by as much. Not traced. Threads.
 */
void kernel_work_us(uint32_t us);

/* Run the threads; the caller's stack serves interrupts from here on. Never returns. */
_Noreturn void kernel_start(void);

#endif
