/*
 * threads.h - numbers, names, states and domains of Zephyr's threads.
 *
 * A thread's number is its address, so that no hook has to look it up; idle threads have 0. The
 * domain of a thread is 0 in supervisor mode, else the number of its memory domain, 1 to 63.
 */
#ifndef TICKERTAPE_ZEPHYR_THREADS_H
#define TICKERTAPE_ZEPHYR_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <zephyr/kernel.h>

#include "tickertape/port.h"
#include "tickertape/tickertape.h"

/* Hooks that run rarely are compiled for size. */
#define TT_ZEPHYR_RARE __attribute__((cold))

/* Return the thread that this CPU runs: early in the boot NULL or the kernel's dummy thread. */
static inline struct k_thread *tt_zephyr_running(void)
{
#ifdef CONFIG_SMP
    tt_port_key_t key = tt_port_lock();
    struct k_thread *thread = arch_curr_cpu()->current;
    tt_port_unlock(key);
    return thread;
#else
    return _kernel.cpus[0].current;
#endif
}

/* The idle thread of each CPU, declared in a private header of the kernel. */
extern struct k_thread z_idle_threads[];

static inline bool tt_zephyr_is_idle(const struct k_thread *thread)
{
    return (uintptr_t)thread - (uintptr_t)z_idle_threads < TT_CONFIG_CPUS * sizeof *thread;
}

/* Return the number of a thread: 0 for idle and dummy threads. */
static inline uint32_t tt_zephyr_number(const struct k_thread *thread)
{
    bool is_none = tt_zephyr_is_idle(thread) || (thread->base.thread_state & _THREAD_DUMMY) != 0u;
    return is_none ? 0u : (uint32_t)(uintptr_t)thread;
}

/* The same, not inlined; also returns 0 for NULL. */
uint32_t tt_zephyr_tid(const struct k_thread *thread);

/* Return the domain of a thread. */
#ifdef CONFIG_USERSPACE
uint32_t tt_zephyr_pid(const struct k_thread *thread);
#else
static inline uint32_t tt_zephyr_pid(const struct k_thread *thread)
{
    (void)thread;
    return 0;
}
#endif

/* Return the priority of a thread on the recorder's scale: a higher number is a higher priority,
 * the idle thread has 0. */
static inline uint32_t tt_zephyr_priority(const struct k_thread *thread)
{
    return (uint32_t)(K_LOWEST_THREAD_PRIO - thread->base.prio);
}

/* State bits of threads that are suspended or not started, for which there is no hook. No other
 * state has them. */
#ifdef _THREAD_PRESTART
#define TT_ZEPHYR_STOPPED (_THREAD_SUSPENDED | _THREAD_PRESTART)
#else
#define TT_ZEPHYR_STOPPED _THREAD_SUSPENDED
#endif
#ifdef _THREAD_SLEEPING
#define TT_ZEPHYR_ASLEEP_OR_STOPPED (TT_ZEPHYR_STOPPED | _THREAD_SLEEPING)
#else
#define TT_ZEPHYR_ASLEEP_OR_STOPPED TT_ZEPHYR_STOPPED
#endif

/* Return the state of a thread that does not run: a TT_THREAD_* number. */
uint32_t tt_zephyr_state(const struct k_thread *thread);

/* Return the name of a thread. If it has none, write its address to `digits` in hexadecimal and
 * return that. */
#define TT_ZEPHYR_DIGITS 12u
const char *tt_zephyr_name(struct k_thread *thread, char digits[TT_ZEPHYR_DIGITS]);

/* Add a thread to the table that describe() reads, or remove it. Any context. */
void tt_zephyr_threads_add(struct k_thread *thread);
void tt_zephyr_threads_remove(const struct k_thread *thread);

/* Return how many threads found no place in the table. */
uint32_t tt_zephyr_threads_left_out(void);

/* The drain's thread; NULL before it runs. */
extern const struct k_thread *tt_zephyr_drain_thread;

/* tt_target_t.describe and current_thread. */
bool tt_zephyr_describe(uint32_t index, tt_name_t *name);
void tt_zephyr_current_thread(uint32_t *pid, uint32_t *tid);

#endif
