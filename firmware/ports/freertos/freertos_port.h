/* freertos_port.h - declarations shared by the sources of the port. */
#ifndef FREERTOS_PORT_H
#define FREERTOS_PORT_H

#include <stdbool.h>
#include <stdint.h>

/* With an MPU: use the kernel's functions, not the system calls of tasks. All of the port runs
 * privileged, except tt_freertos_user(). */
#ifndef MPU_WRAPPERS_INCLUDED_FROM_API_FILE
#define MPU_WRAPPERS_INCLUDED_FROM_API_FILE
#endif
#include "FreeRTOS.h"
#include "task.h"

#include "tickertape/port.h"
#include "tickertape/tickertape.h"

#if TT_FREERTOS_CORES > 1
#include <stdatomic.h>
#endif

#if defined(portUSING_MPU_WRAPPERS) && portUSING_MPU_WRAPPERS == 1
#define TT_FREERTOS_MPU        1
#define TT_FREERTOS_PRIVILEGED portPRIVILEGE_BIT
#if TT_FREERTOS_CORES > 1
#error "tickertape: several cores with an MPU are not supported; set configNUMBER_OF_CORES to 1"
#endif
#else
#define TT_FREERTOS_MPU        0
#define TT_FREERTOS_PRIVILEGED 0u
#endif

/* With an MPU: return whether unprivileged tasks cannot access the recorder's memory, and their
 * system call is installed (freertos_mpu.c). */
#if TT_FREERTOS_MPU
bool tt_freertos_is_protected(void);
#else
#define tt_freertos_is_protected() true
#endif

/* State of a new task, in the upper byte of uxTaskNumber. */
#define TT_FREERTOS_NEW 0xfeu

/* Return whether the first task has started to run. */
static inline bool tt_freertos_is_running(void)
{
    return tt_freertos_now[0].running != TT_FREERTOS_NO_TASK;
}

/* Return the number of the running or interrupted task; TT_FREERTOS_NO_TASK: none. Any context.
 * Interrupts are masked on several cores, because the task could move to another core between two
 * readings. */
static inline uint32_t tt_freertos_self(void)
{
#if TT_FREERTOS_CORES > 1
    tt_port_key_t key = tt_port_lock();
    uint32_t number = TT_FREERTOS_NOW.running;
    tt_port_unlock(key);
    return number;
#else
    return tt_freertos_now[0].running;
#endif
}

/* As tt_freertos_self(), but 0 before the first task runs. */
static inline uint32_t tt_freertos_thread(void)
{
    uint32_t number = tt_freertos_self();
    return number == TT_FREERTOS_NO_TASK ? 0u : number;
}

/* Lock for the port's tables: masks interrupts of this core and excludes other cores. Not
 * recursive; never take a lock of the kernel inside of it. */
#if TT_FREERTOS_CORES > 1
extern atomic_flag tt_freertos_tables_taken;
#endif

static inline tt_port_key_t tt_freertos_lock(void)
{
    tt_port_key_t key = tt_port_lock();
#if TT_FREERTOS_CORES > 1
    while (atomic_flag_test_and_set_explicit(&tt_freertos_tables_taken, memory_order_acquire)) {
        tt_port_spin();
    }
#endif
    return key;
}

static inline void tt_freertos_unlock(tt_port_key_t key)
{
#if TT_FREERTOS_CORES > 1
    atomic_flag_clear_explicit(&tt_freertos_tables_taken, memory_order_release);
#endif
    tt_port_unlock(key);
}

/* Return false for a task that may be the idle task, until the first task runs. */
bool tt_freertos_is_known(const void *tcb);

/* Note that the running task is about to wait for an object; `state` is a TT_THREAD_* number. */
static inline void tt_freertos_intend(uint32_t state, const void *object)
{
    TT_FREERTOS_NOW.object = object;
    TT_FREERTOS_NOW.intent = state;
}

/* Store or remove names for hosts that connect late. `limit` is the largest count of a semaphore,
 * else 0. Any context. */
void tt_freertos_remember_task(const void *tcb, const char *name);
void tt_freertos_forget_task(const void *tcb);
void tt_freertos_remember(const void *object, uint32_t kind, uint32_t limit, const char *name);

/* Functions of tt_target_t: describe and current_thread. */
bool tt_freertos_describe(uint32_t index, tt_name_t *name);
void tt_freertos_current_thread(uint32_t *pid, uint32_t *tid);

/* Record the names of the heap's signals. */
void tt_freertos_name_heap(void);

#ifndef TT_FREERTOS_DRAIN_PRIORITY
#define TT_FREERTOS_DRAIN_PRIORITY (tskIDLE_PRIORITY + 1)
#endif
#ifndef TT_FREERTOS_DRAIN_CORE
#ifdef configTICK_CORE
#define TT_FREERTOS_DRAIN_CORE configTICK_CORE
#else
#define TT_FREERTOS_DRAIN_CORE 0
#endif
#endif

/*
 * Several cores (freertos_cores.c). bind() binds the drain task to `core` and creates a task on
 * each other core that polls on request; returns false without memory. poll_others() requests
 * polls. On one core both do nothing.
 */
#if TT_FREERTOS_CORES > 1
bool tt_freertos_bind(TaskHandle_t drain, uint32_t core);
void tt_freertos_poll_others(void);
#else
#define tt_freertos_bind(drain, core) true
#define tt_freertos_poll_others()     (void)0
#endif

/* Called by each tick of the kernel, in its critical section, before it wakes tasks. */
void tt_freertos_on_tick(uint32_t count);

#endif
