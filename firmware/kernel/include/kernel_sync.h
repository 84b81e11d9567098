/*
 * kernel_sync.h - mutexes, semaphores, condition variables and event flags.
 *
 * Deleting an object ends every wait for it with KERNEL_ERROR_DELETED. The object is then like a
 * new one, or its memory may be used for something else. Only threads may delete objects.
 *
 * Included by kernel.h, where results, time limits and contexts are explained.
 */
#ifndef KERNEL_SYNC_H
#define KERNEL_SYNC_H

#include "kernel_types.h"

KERNEL_C_BEGIN

/* Mutexes. ------------------------------------------------------------------------------------ */

/*
 * A lock with one owner. The owner runs with at least the priority of the most urgent thread that
 * waits for the mutex, also through a chain of mutexes, until it unlocks it. The most urgent waiter
 * becomes the next owner, the first one of equal priorities. Not recursive. A mutex initialised
 * with zeros is unlocked. A mutex with KERNEL_MUTEX_PLAIN_INIT has no priority inheritance and lets
 * threads wait in a cycle, to demonstrate priority inversion and deadlock.
 */
struct kernel_mutex {
    kernel_thread_t *owner;
    kernel_mutex_t *next_held; /* next mutex of the same owner */
    kernel_queue_t waiters;
    uint32_t condition_waiter_count; /* threads that wait for a condition with this mutex */
    bool plain;                      /* without inheritance and without a search for cycles */
};

#define KERNEL_MUTEX_PLAIN_INIT {NULL, NULL, {NULL, NULL}, 0u, true}

/*
 * Lock a mutex. Blocks while another thread owns it. Returns KERNEL_OK, KERNEL_ERROR_ARGUMENT,
 * KERNEL_ERROR_TIMEOUT, KERNEL_ERROR_BUSY (with 0 ticks), KERNEL_ERROR_DELETED,
 * KERNEL_ERROR_DEADLOCK when the caller owns the mutex or, unless it is plain, the owner waits for
 * the caller through any chain of mutexes and messages.
 */
int kernel_mutex_lock(kernel_mutex_t *mutex, uint32_t timeout_ticks);

/* Lock a mutex if it has no owner. Returns KERNEL_OK, KERNEL_ERROR_ARGUMENT or
 * KERNEL_ERROR_BUSY. */
int kernel_mutex_trylock(kernel_mutex_t *mutex);

/* Unlock a mutex. Returns KERNEL_OK, KERNEL_ERROR_ARGUMENT, or KERNEL_ERROR_OWNER when the caller
 * does not own it. */
int kernel_mutex_unlock(kernel_mutex_t *mutex);

/*
 * Delete a mutex that the caller owns, or that has no owner. Returns KERNEL_OK, KERNEL_ERROR_OWNER,
 * or KERNEL_ERROR_BUSY while threads wait for a condition with it.
 */
int kernel_mutex_delete(kernel_mutex_t *mutex);

/* Semaphores. --------------------------------------------------------------------------------- */

/* A count of permits, 0 to `limit`. The most urgent waiter gets the next permit, the first one of
 * equal priorities. */
struct kernel_sem {
    uint32_t count;
    uint32_t limit;
    kernel_queue_t waiters;
};

/* Initial value of a semaphore; `limit` is 1 or more. */
#define KERNEL_SEM_INIT(initial_count, limit_count)                                                \
    {                                                                                              \
        (initial_count), (limit_count),                                                            \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

/* Take a permit. Blocks while there is none. Returns KERNEL_OK, KERNEL_ERROR_TIMEOUT,
 * KERNEL_ERROR_BUSY or KERNEL_ERROR_DELETED. */
int kernel_sem_wait(kernel_sem_t *sem, uint32_t timeout_ticks);

/* Take a permit if there is one. Threads and interrupts. Returns KERNEL_OK or KERNEL_ERROR_BUSY. */
int kernel_sem_trywait(kernel_sem_t *sem);

/*
 * Give a permit. Threads, interrupts, and before kernel_start(). In an interrupt it is not a kernel
 * call, and a thread that it wakes runs after all interrupts have returned. Returns KERNEL_OK, or
 * KERNEL_ERROR_FULL when the count is at its limit.
 */
int kernel_sem_post(kernel_sem_t *sem);

/* Delete a semaphore: its count is 0 afterwards, its limit stays. */
int kernel_sem_delete(kernel_sem_t *sem);

/* Condition variables. ------------------------------------------------------------------------ */

/* A condition variable, on which threads wait for a signal of another thread. All zero is one
 * without waiters. */
typedef struct kernel_cond {
    kernel_queue_t waiters;
} kernel_cond_t;

/*
 * Unlock `mutex` and wait for a signal, in one atomic step, then lock `mutex` again. Blocks. The
 * time limit applies to the wait for the signal, not to the wait for the mutex. Returns KERNEL_OK,
 * KERNEL_ERROR_TIMEOUT or KERNEL_ERROR_DELETED (of the condition variable), all with the mutex
 * locked; KERNEL_ERROR_OWNER when the caller does not own it, KERNEL_ERROR_BUSY with 0 ticks.
 * In two cases it returns without the mutex: with KERNEL_ERROR_DEADLOCK if the mutex now belongs to
 * a thread that waits for the caller, and with KERNEL_ERROR_DELETED if the mutex is deleted while
 * the caller waits for it. Callers that hold other mutexes, or whose mutexes may be deleted, find
 * out by the result of kernel_mutex_unlock().
 */
int kernel_cond_wait(kernel_cond_t *cond, kernel_mutex_t *mutex, uint32_t timeout_ticks);

/* Wake the most urgent waiter, if any; among equals, the first. Returns KERNEL_OK. */
int kernel_cond_signal(kernel_cond_t *cond);

/* Wake all waiters; they get the mutex one after the other. Returns KERNEL_OK. */
int kernel_cond_broadcast(kernel_cond_t *cond);

/* Delete a condition variable; it has no waiters afterwards. */
int kernel_cond_delete(kernel_cond_t *cond);

/* Event flags. -------------------------------------------------------------------------------- */

/* 31 event flags, so that a set of them is a result >= 0. All zero is an object with no flag
 * set. */
typedef struct kernel_flags {
    uint32_t bits;
    kernel_queue_t waiters;
} kernel_flags_t;

#define KERNEL_FLAGS_MASK 0x7fffffffu

/* Ways to wait: for any or all of the flags; KERNEL_FLAGS_CLEAR clears the flags that ended the
 * wait. */
#define KERNEL_FLAGS_ANY   0u
#define KERNEL_FLAGS_ALL   1u
#define KERNEL_FLAGS_CLEAR 2u

/*
 * Set flags. Waiters are served in order of urgency; flags that one of them clears are not
 * available to the next. Takes time in proportion to the number of waiters. Threads, interrupts,
 * and before kernel_start(). Returns KERNEL_OK or KERNEL_ERROR_ARGUMENT.
 */
int kernel_flags_set(kernel_flags_t *flags, uint32_t bits);

/* Clear flags. Threads, interrupts, and before kernel_start(). */
int kernel_flags_clear(kernel_flags_t *flags, uint32_t bits);

/*
 * Wait for flags `bits`; `how` is a combination of KERNEL_FLAGS_*. Blocks. Returns the flags of
 * `bits` that were set (> 0), KERNEL_ERROR_TIMEOUT, KERNEL_ERROR_BUSY or KERNEL_ERROR_DELETED.
 */
int kernel_flags_wait(kernel_flags_t *flags, uint32_t bits, uint32_t how, uint32_t timeout_ticks);

/* Delete event flags; no flag is set afterwards. */
int kernel_flags_delete(kernel_flags_t *flags);

KERNEL_C_END

#endif
