/*
 * kernel.h - the reference kernel of tickertape: threads and interrupts; with kernel_sync.h
 * (mutexes, semaphores, condition variables, event flags), kernel_message.h, kernel_timer.h,
 * kernel_lock.h (masking interrupts, spin locks) and kernel_domain.h (unprivileged threads).
 *
 * A small preemptive kernel with fixed priorities. The ready thread with the highest priority runs;
 * threads of equal priority take turns only when the running one blocks or yields (first in, first
 * out, no time slices). With several CPUs (KERNEL_CPUS), each CPU runs a thread; a thread that
 * becomes ready runs on the CPU whose running thread has the lowest priority. All memory is static:
 * the caller owns threads, stacks and objects, and they must exist as long as the kernel uses them.
 *
 * Every function here is a kernel call for threads, unless its comment states another context.
 * Kernel calls trap (SVC on Cortex-M), so they must not be made with interrupts masked. Inside the
 * kernel, device interrupts are enabled except in short sections, so they may preempt kernel calls.
 *
 * The kernel traces through tickertape/hooks.h: each kernel call on entry and, when the calling
 * thread continues, on exit with its result; each change of state; each interrupt. A thread that is
 * switched out without a preceding state event is still ready: it was preempted or it yielded.
 *
 * Results: KERNEL_OK or another number >= 0, or one of the negative numbers of kernel_result_t.
 * Time is counted in kernel ticks (KERNEL_TICK_HZ, 1 ms by default). A time limit of n ticks ends
 * with the nth tick from now, that is between n - 1 and n periods later. It is 1 to
 * KERNEL_TICKS_MAX, KERNEL_FOREVER for no limit, or 0 not to wait: the call then returns
 * KERNEL_ERROR_BUSY instead of waiting.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include "kernel_domain.h"
#include "kernel_lock.h"
#include "kernel_message.h"
#include "kernel_sync.h"
#include "kernel_timer.h"
#include "kernel_types.h"

KERNEL_C_BEGIN

/* A thread. Initialise it with zeros; all fields are private to the kernel. */
struct kernel_thread {
    kernel_port_context_t context;
    const kernel_domain_t *domain; /* NULL: the core */
    const char *name;
    kernel_entry_t entry;
    void *argument;
    void *stack;
    size_t stack_bytes;

    kernel_thread_t *next; /* next thread in `queue` */
    kernel_thread_t *previous;
    kernel_queue_t *queue;   /* the ready or waiting queue that it is in; NULL while it runs */
    kernel_queue_t joiners;  /* threads that wait for its end */
    kernel_mutex_t *held;    /* mutexes that it owns */
    kernel_mutex_t *wanted;  /* the mutex that it waits for */
    kernel_mutex_t *relock;  /* the mutex to lock again after a wait for a condition */
    const void *wait_object; /* the object that it waits for (for the trace) */
    uint32_t wait_bits;      /* the event flags that it waits for */
    uint32_t wait_how;       /* KERNEL_FLAGS_ bits of that wait */
    kernel_timeout_t wait_timeout;

    kernel_queue_t clients;          /* threads that wait for its reply */
    kernel_thread_t *server;         /* the thread from which it waits for a reply */
    kernel_message_t *message;       /* the message that it sends */
    const kernel_receipt_t *receipt; /* destination of a message or pulse that it receives */

    /* Called when the thread continues, to trace an event of its wait in its own context; NULL:
     * none. */
    void (*on_resume)(const kernel_thread_t *thread);
    const void *on_resume_object;
    uint32_t on_resume_word;

    uint32_t message_id; /* number of the last message that it sent */
    kernel_timeout_t period_timeout;
    uint32_t period_ticks; /* 0: not periodic */
    uint32_t activated_count;
    uint32_t completed_count;
    bool awaits_period;

    bool suspended;
    bool faulted;      /* it violated the limits of its domain and is being ended */
    bool ending;       /* another CPU has ended it: it ends at the next switch */
    uint8_t cpu;       /* CPU on which it runs or ran last */
    uint8_t ready_set; /* set of ready queues that it uses (scheduler.c) */
    bool in_call;      /* in a kernel call whose exit is not traced yet */
    uint8_t call;
    uint8_t tid;
    uint8_t state; /* kernel_state_t */
    uint8_t priority;
    uint8_t base_priority; /* without inheritance */
    int32_t call_result;
};

/* Threads. ------------------------------------------------------------------------------------ */

/*
 * Create a thread and make it ready; it may run before this function returns. `name` must exist as
 * long as the thread. `stack` is aligned to 8 bytes, `stack_bytes` is at least
 * KERNEL_STACK_MIN_BYTES; the native port checks both and uses its own stack. The thread's number
 * is the lowest free one, from 1. Threads, and before kernel_start(). Returns KERNEL_OK,
 * KERNEL_ERROR_ARGUMENT, KERNEL_ERROR_STATE when `thread` exists already, KERNEL_ERROR_FULL when
 * KERNEL_MAX_THREADS threads exist.
 */
int kernel_thread_create(kernel_thread_t *thread, const char *name, kernel_entry_t entry,
                         void *argument, uint32_t priority, void *stack, size_t stack_bytes);

/* End the calling thread. Unlocks the mutexes that it still owns; threads that wait for its reply
 * get KERNEL_ERROR_DELETED. */
__attribute__((noreturn)) void kernel_thread_exit(void);

/*
 * End a thread in any state: it never returns from its kernel call. It leaves the queue in which it
 * waits; mutexes and clients are treated as in kernel_thread_exit(). A thread on another CPU ends
 * as soon as that CPU serves the request, and executes no further kernel call: kernel_thread_join()
 * waits for that. Data that the thread was writing stays incomplete, and locks that are not mutexes
 * of the kernel stay locked. Threads, except those of domains. Returns KERNEL_OK,
 * KERNEL_ERROR_ARGUMENT (NULL, the idle thread), KERNEL_ERROR_STATE when the thread does not exist
 * or is being ended.
 */
int kernel_thread_end(kernel_thread_t *thread);

/*
 * Wait until `thread` has ended; its memory may then be used again. Blocks. Returns KERNEL_OK,
 * KERNEL_ERROR_TIMEOUT, KERNEL_ERROR_BUSY, KERNEL_ERROR_DEADLOCK for the calling thread.
 */
int kernel_thread_join(kernel_thread_t *thread, uint32_t timeout_ticks);

/* Let the other ready threads of the same priority run first. */
void kernel_yield(void);

/* Sleep for `ticks` ticks; 0 returns at once. Blocks. Returns KERNEL_OK or
 * KERNEL_ERROR_ARGUMENT. */
int kernel_sleep(uint32_t ticks);

/*
 * Change the base priority of a thread, 0 to KERNEL_PRIORITY_COUNT - 1; inherited priority still
 * applies. The thread becomes the last one of its priority, unless it runs. Threads. Returns
 * KERNEL_OK, KERNEL_ERROR_ARGUMENT, KERNEL_ERROR_STATE when the thread does not exist.
 */
int kernel_thread_set_priority(kernel_thread_t *thread, uint32_t priority);

/*
 * Restrict a thread to CPU `cpu`; KERNEL_ANY_CPU, the default, allows any. A thread that runs on
 * another CPU is stopped and moved at once. Threads, and before kernel_start(). Returns KERNEL_OK,
 * KERNEL_ERROR_ARGUMENT, KERNEL_ERROR_STATE when the thread does not exist.
 */
int kernel_thread_bind(kernel_thread_t *thread, uint32_t cpu);

/*
 * Suspend a thread, or the caller, until it is resumed. A waiting thread continues to wait, and
 * stops when it would become ready; a thread on another CPU stops as soon as that CPU serves the
 * request. It keeps its mutexes. Threads. Returns KERNEL_OK, KERNEL_ERROR_ARGUMENT,
 * KERNEL_ERROR_STATE when it does not exist or is already suspended.
 */
int kernel_thread_suspend(kernel_thread_t *thread);

/* Resume a suspended thread. Threads and interrupts. Returns KERNEL_OK, KERNEL_ERROR_ARGUMENT,
 * KERNEL_ERROR_STATE when it is not suspended. */
int kernel_thread_resume(kernel_thread_t *thread);

/*
 * Make a thread periodic: it is activated now and then every `period_ticks` ticks, without drift.
 * Activations are counted from 1. 0 ends activations. KERNEL_SPORADIC: only
 * kernel_thread_activate() activates the thread. Threads, and before kernel_start(). Returns
 * KERNEL_OK, KERNEL_ERROR_ARGUMENT, KERNEL_ERROR_STATE when the thread does not exist.
 */
int kernel_thread_set_period(kernel_thread_t *thread, uint32_t period_ticks);
#define KERNEL_SPORADIC UINT32_MAX

/*
 * Activate a sporadic thread once; activations that it has not completed yet add up. Interrupts
 * only. Not a kernel call; traced as TRC INTACTIVATION, then SCHED ACTIVATION. Returns KERNEL_OK,
 * KERNEL_ERROR_ARGUMENT for NULL, or KERNEL_ERROR_STATE when the thread does not exist or is not
 * sporadic, or when a thread makes the call.
 */
int kernel_thread_activate(kernel_thread_t *thread);

/*
 * Complete an activation and wait for the next one. Blocks unless that has already occurred. An
 * activation that occurs before the previous one is completed is a deadline miss: it is traced as
 * such, and still executed. A sporadic thread that was not activated yet completes nothing. Returns
 * how many further activations are due (0 when the thread is in time), or KERNEL_ERROR_STATE when
 * the thread is neither periodic nor sporadic.
 */
int kernel_wait_period(void);

/* Return the calling thread; in an interrupt the interrupted one; NULL before kernel_start(). Any
 * context. */
kernel_thread_t *kernel_thread_self(void);

/* Return the number of an existing thread; 0, the idle thread's number, for NULL. Any context. */
uint32_t kernel_thread_number(const kernel_thread_t *thread);

/* Return the domain of an existing thread; 0, the core, for NULL. Any context. */
uint32_t kernel_thread_domain(const kernel_thread_t *thread);

/* State of a thread at one moment. */
typedef struct kernel_thread_info {
    const char *name;
    uint32_t tid;
    uint32_t domain;   /* 0: the core */
    uint32_t priority; /* with inheritance */
    uint32_t cpu;      /* CPU on which it runs or ran last */
    kernel_state_t state;
} kernel_thread_info_t;

/*
 * Describe thread number `tid`, 0 (idle) to KERNEL_MAX_THREADS - 1. Not a kernel call, not traced.
 * Any context. Returns false when no thread has this number.
 */
bool kernel_thread_by_index(uint32_t tid, kernel_thread_info_t *info);

/* Interrupts and time. ------------------------------------------------------------------------ */

typedef void (*kernel_irq_handler_t)(void *argument);

/* Priority of an interrupt. */
typedef enum kernel_irq_level {
    KERNEL_IRQ_LEVEL_KERNEL, /* that of the kernel: it never preempts kernel calls */
    KERNEL_IRQ_LEVEL_DEVICE, /* it preempts kernel calls */
} kernel_irq_level_t;

/*
 * Attach `handler` to a device interrupt, 0 to KERNEL_MAX_IRQS - 1, and enable the interrupt on the
 * calling CPU. Entry and exit are traced. A handler may make the calls whose context includes
 * interrupts: post semaphores, set flags, send pulses, use timers. Threads, and before
 * kernel_start(). Returns KERNEL_OK or KERNEL_ERROR_ARGUMENT.
 */
int kernel_irq_attach(uint32_t irq, kernel_irq_level_t level, kernel_irq_handler_t handler,
                      void *argument);

/* Return the number of ticks since kernel_start(), modulo 2^32. Any context. */
uint32_t kernel_ticks(void);

/*
 * Set a function that the interrupt of the tick calls at each tick, for work that must not depend
 * on the scheduling of threads. There is one function; NULL removes it. It must not make kernel
 * calls. Any context.
 */
void kernel_on_tick(void (*function)(void));

/*
 * Use about `us` microseconds of processor time. Time during which the thread is preempted does not
 * count. Not traced. Threads.
 */
void kernel_work_us(uint32_t us);

/* Start the kernel: run the threads. Interrupts then use the caller's stack. Never returns. */
__attribute__((noreturn)) void kernel_start(void);

KERNEL_C_END

#endif
