/*
 * kernel.h - the reference kernel of tickertape: threads and interrupts; with kernel_sync.h
 * (mutexes, semaphores, condition variables, event flags), kernel_message.h, kernel_timer.h,
 * kernel_lock.h (masking interrupts, spin locks) and kernel_domain.h (unprivileged threads).
 *
 * A small preemptive kernel with fixed priorities. The ready thread with the highest priority runs;
 * threads of equal priority take turns only when the running one blocks or yields (first in, first
 * out, no time slices). With KERNEL_CPUS CPUs that many threads run, each on the CPU whose running
 * thread had the lowest priority when it became ready. Everything is static: the caller owns
 * threads, stacks and objects, and they must live as long as the kernel uses them.
 *
 * Every function here is a kernel call made by a thread unless its text states more. Kernel calls
 * trap (SVC on Cortex-M), so they must not be made with interrupts masked. Inside the kernel device
 * interrupts are enabled except in short sections, so they may preempt kernel calls.
 *
 * The kernel traces through tickertape/hooks.h: each kernel call on entry and, when the calling
 * thread continues, on exit with its result; each change of state; each interrupt. A thread that is
 * switched out without a state event before is still ready: it was preempted or it yielded.
 *
 * Results: KERNEL_OK or another number >= 0, or one of the negative numbers of kernel_result_t.
 * Time is counted in kernel ticks (KERNEL_TICK_HZ, 1 ms by default). A time limit of n ticks ends
 * with the nth tick from now, that is between n - 1 and n periods later. It is 1 to
 * KERNEL_TICKS_MAX, or KERNEL_FOREVER for none; 0 means not to wait.
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
    kernel_queue_t *queue;   /* the queue that it is in: ready or waiting; NULL while it runs */
    kernel_queue_t joiners;  /* threads that wait for its end */
    kernel_mutex_t *held;    /* mutexes that it owns */
    kernel_mutex_t *wanted;  /* the mutex that it waits for */
    kernel_mutex_t *relock;  /* the mutex to lock again when it waits for a condition */
    const void *wait_object; /* object that it waits for, for the trace */
    uint32_t wait_bits;      /* the event flags that it waits for, */
    uint32_t wait_how;       /* and how */
    kernel_timeout_t wait_timeout;

    kernel_queue_t clients;          /* threads that wait for its reply */
    kernel_thread_t *server;         /* the thread that owes it a reply */
    kernel_message_t *message;       /* the message that it sends */
    const kernel_receipt_t *receipt; /* where to store what it receives */

    /* Called when the thread continues, to trace what it received while it waited; NULL for
     * nothing. */
    void (*on_resume)(const kernel_thread_t *thread);
    const void *on_resume_object;
    uint32_t on_resume_word;

    uint32_t message_id; /* of the message that it sent last */
    kernel_timeout_t period_timeout;
    uint32_t period_ticks; /* 0: not periodic */
    uint32_t activated_count;
    uint32_t completed_count;
    bool awaits_period;

    bool suspended;
    bool faulted;      /* it violated the limits of its domain and is about to end */
    bool ending;       /* another CPU has ended it while it runs: it ends at the next switch */
    uint8_t cpu;       /* where it runs or ran last */
    uint8_t ready_set; /* with whom it waits for a CPU (scheduler.c) */
    bool in_call;      /* in a kernel call; its exit is not traced yet */
    uint8_t call;
    uint8_t tid;
    uint8_t state; /* kernel_state_t */
    uint8_t priority;
    uint8_t base_priority; /* without inheritance */
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

/* End the calling thread. Mutexes that it still owns are unlocked; threads that wait for its reply
 * get KERNEL_ERROR_DELETED. */
__attribute__((noreturn)) void kernel_thread_exit(void);

/*
 * End a thread, whatever it does: it returns from no call any more. It leaves the queue that it
 * waits in; otherwise as kernel_thread_exit(), which is what a thread that ends itself does. A
 * thread on another CPU ends as soon as that CPU serves the request, and executes no further kernel
 * call: kernel_thread_join() waits for that. What the thread was about to write stays half written,
 * and locks that are not mutexes of the kernel stay locked. Threads, not those of domains. Returns
 * KERNEL_OK, KERNEL_ERROR_ARGUMENT (NULL, the idle thread), KERNEL_ERROR_STATE when the thread does
 * not live or is about to end.
 */
int kernel_thread_end(kernel_thread_t *thread);

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
 * Change the base priority of a thread; inheritance applies as before. It becomes the last among
 * its equals, unless it runs. Threads. Returns KERNEL_OK, KERNEL_ERROR_ARGUMENT, KERNEL_ERROR_STATE
 * when the thread does not live.
 */
int kernel_thread_set_priority(kernel_thread_t *thread, uint32_t priority);

/*
 * Restrict a thread to CPU `cpu`; KERNEL_ANY_CPU, the default, allows any. A thread that runs on
 * another CPU is stopped and moved at once. Threads, and before kernel_start(). Returns KERNEL_OK,
 * KERNEL_ERROR_ARGUMENT, KERNEL_ERROR_STATE when the thread does not live.
 */
int kernel_thread_bind(kernel_thread_t *thread, uint32_t cpu);

/*
 * Suspend a thread, or the caller, until it is resumed. A waiting thread continues to wait, and
 * stops when it would become ready; a thread on another CPU stops as soon as that CPU serves the
 * request. It keeps its mutexes. Threads. Returns KERNEL_OK, KERNEL_ERROR_ARGUMENT,
 * KERNEL_ERROR_STATE when it does not live or is already suspended.
 */
int kernel_thread_suspend(kernel_thread_t *thread);

/* Resume a suspended thread. Threads and interrupts. KERNEL_ERROR_STATE when it is not suspended.
 */
int kernel_thread_resume(kernel_thread_t *thread);

/*
 * Make a thread periodic: it is activated now and then every `period_ticks` ticks, without drift.
 * Activations are counted from 1. 0 ends it. With KERNEL_SPORADIC no tick activates it, but
 * kernel_thread_activate(). Threads, and before kernel_start().
 * Returns KERNEL_OK, KERNEL_ERROR_ARGUMENT, KERNEL_ERROR_STATE when the thread does not live.
 */
int kernel_thread_set_period(kernel_thread_t *thread, uint32_t period_ticks);
#define KERNEL_SPORADIC UINT32_MAX

/*
 * Activate a sporadic thread once, as a device needs its work; activations that it has not
 * completed yet add up. Interrupts only; not a kernel call, traced as SCHED ACTIVATION with TRC
 * INTACTIVATION before it. Returns KERNEL_OK, KERNEL_ERROR_ARGUMENT for NULL, or KERNEL_ERROR_STATE
 * when the thread does not live, is not sporadic, or when a thread calls.
 */
int kernel_thread_activate(kernel_thread_t *thread);

/*
 * Complete an activation and wait for the next. Blocks unless it has already occurred; an
 * activation that occurs before the previous one is completed is a deadline miss, is traced as
 * such, and still gets its turn. Returns how many further activations are due (0 when the thread is
 * in time), or KERNEL_ERROR_STATE when the thread is neither periodic nor sporadic. A sporadic
 * thread that was not activated yet completes nothing.
 */
int kernel_wait_period(void);

/* The calling thread, in an interrupt the interrupted one, NULL before kernel_start(). Anywhere. */
kernel_thread_t *kernel_thread_self(void);

/* The number of a living thread; 0, which is the idle thread's, for NULL. Anywhere. */
uint32_t kernel_thread_number(const kernel_thread_t *thread);

/* The domain of a living thread; 0, the core, for NULL. Anywhere. */
uint32_t kernel_thread_domain(const kernel_thread_t *thread);

/* State of a thread at one moment. */
typedef struct kernel_thread_info {
    const char *name;
    uint32_t tid;
    uint32_t domain;   /* 0: the core */
    uint32_t priority; /* with inheritance */
    uint32_t cpu;      /* where it runs or ran last */
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
 * Attach `handler` to a device interrupt, traced on entry and exit, and enable the interrupt on the
 * CPU that makes this call. A handler may make the calls marked "interrupts": post, set flags, send
 * pulses, use timers. Threads, and before kernel_start(). Returns KERNEL_OK or
 * KERNEL_ERROR_ARGUMENT.
 */
int kernel_irq_attach(uint32_t irq, kernel_irq_level_t level, kernel_irq_handler_t handler,
                      void *argument);

/* Ticks since kernel_start(), modulo 2^32. Anywhere. */
uint32_t kernel_ticks(void);

/*
 * Call a function at each tick, in the interrupt of the tick, on the CPU that serves it: for work
 * that must not depend on the scheduling of threads. One function; NULL removes it. It makes no
 * kernel calls. Anywhere.
 */
void kernel_on_tick(void (*function)(void));

/*
 * Compute something for about so much time of the processor. Being preempted does not count, so
 * the end moves by as much. Not traced. Threads.
 */
void kernel_work_us(uint32_t us);

/* Run the threads; the caller's stack serves interrupts from here on. Never returns. */
__attribute__((noreturn)) void kernel_start(void);

KERNEL_C_END

#endif
