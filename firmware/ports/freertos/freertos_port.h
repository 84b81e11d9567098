/* freertos_port.h - what the sources of the port share. */
#ifndef FREERTOS_PORT_H
#define FREERTOS_PORT_H

#include <stdbool.h>
#include <stdint.h>

/* With an MPU: the kernel's own functions, not the system calls of tasks. All of the port runs
 * privileged, but tt_freertos_user(). */
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

/* With an MPU: whether tasks without privilege are kept from the recorder, and have their system
 * call (freertos_mpu.c). */
#if TT_FREERTOS_MPU
bool tt_freertos_is_protected(void);
#else
#define tt_freertos_is_protected() true
#endif

/* The state of a task that was just created, in the upper byte of uxTaskNumber. */
#define TT_FREERTOS_NEW 0xfeu

/* Whether a first task runs. */
static inline bool tt_freertos_is_running(void)
{
    return tt_freertos_now[0].running != TT_FREERTOS_NO_TASK;
}

/* The number of the task that executes this, or was interrupted; TT_FREERTOS_NO_TASK: none. Any
 * context: on several cores a task may otherwise go on on another one between the two readings. */
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

/* The same as a thread: 0 before the first task runs. */
static inline uint32_t tt_freertos_thread(void)
{
    uint32_t number = tt_freertos_self();
    return number == TT_FREERTOS_NO_TASK ? 0u : number;
}

/* For the port's tables: interrupts of this core are masked, and other cores wait. Not recursive.
 * Inside of it no lock of the kernel is taken. */
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

/* False for a task that may be the idle task, until the first one runs. */
bool tt_freertos_is_known(const void *tcb);

/* The running task is about to wait: a TT_THREAD_* number, and for what. */
static inline void tt_freertos_intend(uint32_t state, const void *object)
{
    TT_FREERTOS_NOW.object = object;
    TT_FREERTOS_NOW.intent = state;
}

/* Names for hosts that come late. `limit` is that of a semaphore, else 0. Any context. */
void tt_freertos_remember_task(const void *tcb, const char *name);
void tt_freertos_forget_task(const void *tcb);
void tt_freertos_remember(const void *object, uint32_t kind, uint32_t limit, const char *name);

/* tt_target_t.describe and current_thread. */
bool tt_freertos_describe(uint32_t index, tt_name_t *name);
void tt_freertos_current_thread(uint32_t *pid, uint32_t *tid);

/* Names of the heap's figures. */
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
 * Several cores (freertos_cores.c). bind: let the drain task run on `core` only, and create a task
 * on each other core that polls when asked; false: no memory. poll_others: ask. On one core both do
 * nothing.
 */
#if TT_FREERTOS_CORES > 1
bool tt_freertos_bind(TaskHandle_t drain, uint32_t core);
void tt_freertos_poll_others(void);
#else
#define tt_freertos_bind(drain, core) true
#define tt_freertos_poll_others()     (void)0
#endif

/* Called by each tick of the kernel, in its critical section, before it looks for tasks to wake. */
void tt_freertos_on_tick(uint32_t count);

#endif
