/*
 * kernel.h - the reference kernel of tickertape: threads and interrupts; with kernel_sync.h
 * (mutexes, semaphores, condition variables, event flags), kernel_message.h, kernel_timer.h,
 * kernel_lock.h (masking interrupts, spin locks) and kernel_domain.h (unprivileged threads).
 *
 * A small preemptive kernel with fixed priorities. The thread with the highest priority that is
 * ready runs; threads of equal priority take turns only when the running one blocks or yields
 * (first in, first out, no time slices). With KERNEL_CPUS CPUs the so many most urgent ones run,
 * each on whichever CPU runs the least urgent thread when it becomes ready. Everything is static:
 * the caller owns threads, stacks and objects, and they have to live as long as the kernel uses
 * them.
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

#include "kernel_domain.h"
#include "kernel_lock.h"
#include "kernel_message.h"
#include "kernel_sync.h"
#include "kernel_timer.h"
#include "kernel_types.h"

/* A thread. All zero before it is created; every field is private to the kernel. */
struct kernel_thread {
    kernel_port_context_t context;
    const kernel_domain_t *domain; /* NULL: the core */
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
    kernel_mutex_t *relock;  /* the mutex to lock again when it waits for a condition */
    const void *wait_object; /* what it waits for, for the trace */
    uint32_t wait_bits;      /* the event flags that it waits for, */
    uint32_t wait_how;       /* and how */
    kernel_timeout_t wait_timeout;

    kernel_queue_t clients;          /* who waits for its reply */
    kernel_thread_t *server;         /* whose reply it waits for */
    kernel_message_t *message;       /* what it sends */
    const kernel_receipt_t *receipt; /* where it wants to have what it receives */

    /* What the trace has to be told first when it goes on, or NULL; about `news_object`. */
    void (*news)(const kernel_thread_t *thread);
    const void *news_object;
    uint32_t news_word;

    uint32_t message_id; /* of the message that it sent last */
    kernel_timeout_t period_timeout;
    uint32_t period_ticks; /* 0: not periodic */
    uint32_t activated_count;
    uint32_t completed_count;
    bool awaits_period;

    bool suspended;
    bool faulted;      /* it did what its domain may not, and is about to end */
    uint8_t cpu;       /* where it runs or ran last */
    uint8_t ready_set; /* with whom it waits for a CPU (scheduler.c) */
    bool in_call;      /* in a kernel call whose exit was not traced yet */
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

/* End the calling thread. Mutexes that it still owns are unlocked; who waits for its reply gets
 * KERNEL_ERROR_DELETED. */
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
 * Give a thread another priority of its own; what it inherits counts as before. Among equals it
 * becomes the last, unless it runs. Threads.
 * Returns KERNEL_OK, KERNEL_ERROR_ARGUMENT, KERNEL_ERROR_STATE when the thread does not live.
 */
int kernel_thread_set_priority(kernel_thread_t *thread, uint32_t priority);

/*
 * Let a thread run on CPU `cpu` only, or on any with KERNEL_ANY_CPU, which is what it begins with.
 * On another CPU it is stopped and moved at once. Threads, and before kernel_start().
 * Returns KERNEL_OK, KERNEL_ERROR_ARGUMENT, KERNEL_ERROR_STATE when the thread does not live.
 */
int kernel_thread_bind(kernel_thread_t *thread, uint32_t cpu);

/*
 * Keep a thread, or oneself, from running until it is resumed. A thread that waits goes on with
 * that, and stops when it would become ready; one that runs on another CPU stops as soon as that
 * CPU has been told. It keeps its mutexes. Threads.
 * Returns KERNEL_OK, KERNEL_ERROR_ARGUMENT, KERNEL_ERROR_STATE when it does not live or is
 * suspended already.
 */
int kernel_thread_suspend(kernel_thread_t *thread);

/* Let a suspended thread go on. Threads and interrupts. KERNEL_ERROR_STATE when it is not. */
int kernel_thread_resume(kernel_thread_t *thread);

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

/* The domain of a living thread; 0, the core, for NULL. Anywhere. */
uint32_t kernel_thread_domain(const kernel_thread_t *thread);

/* What is known of a thread at one moment. */
typedef struct kernel_thread_info {
    const char *name;
    uint32_t tid;
    uint32_t domain;   /* 0: the core */
    uint32_t priority; /* with what it inherited */
    kernel_state_t state;
} kernel_thread_info_t;

/*
 * Describe thread number `tid`, 0 (idle) to KERNEL_MAX_THREADS - 1. No kernel call, not traced.
 * Anywhere. Returns false when no such thread lives.
 */
bool kernel_thread_by_index(uint32_t tid, kernel_thread_info_t *info);

/* Interrupts and time. ------------------------------------------------------------------------ */

typedef void (*kernel_irq_handler_t)(void *argument);

/* How urgent an interrupt is. */
typedef enum kernel_irq_level {
    KERNEL_IRQ_LEVEL_KERNEL, /* like the kernel itself: waits for kernel calls to end */
    KERNEL_IRQ_LEVEL_DEVICE, /* preempts kernel calls */
} kernel_irq_level_t;

/*
 * Let `handler` serve a device interrupt, traced on entry and exit, and enable it.
 * It is served by the CPU that makes this call. A handler may make the calls that say "interrupts":
 * post, set flags, send pulses, use timers.
 * Threads, and before kernel_start(). Returns KERNEL_OK or KERNEL_ERROR_ARGUMENT.
 */
int kernel_irq_attach(uint32_t irq, kernel_irq_level_t level, kernel_irq_handler_t handler,
                      void *argument);

/* Ticks since kernel_start(), modulo 2^32. Anywhere. */
uint32_t kernel_ticks(void);

/*
 * Call a function at each tick, in the interrupt of the tick, on the CPU that serves it: for what
 * must not depend on when a thread runs. One at a time; NULL ends it. It makes no kernel calls.
 * Anywhere.
 */
void kernel_on_tick(void (*function)(void));

/*
 * Compute something for about so much time of the processor. Being preempted does not count, so
 * the end moves by as much. Not traced. Threads.
 */
void kernel_work_us(uint32_t us);

/* Run the threads; the caller's stack serves interrupts from here on. Never returns. */
_Noreturn void kernel_start(void);

#endif
