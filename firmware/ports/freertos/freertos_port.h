/* freertos_port.h - what the sources of the port share. */
#ifndef FREERTOS_PORT_H
#define FREERTOS_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "FreeRTOS.h"
#include "tickertape/tickertape.h"

/* The state of a task that was just created, in the upper byte of uxTaskNumber. */
#define TT_FREERTOS_NEW 0xfeu

/* Whether a first task runs. */
static inline bool tt_freertos_is_running(void)
{
    return tt_freertos_now.running != TT_FREERTOS_NO_TASK;
}

/* False for a task that may be the idle task, until the first one runs. */
bool tt_freertos_is_known(const void *tcb);

/* The running task is about to wait: a TT_THREAD_* number, and for what. */
static inline void tt_freertos_intend(uint32_t state, const void *object)
{
    tt_freertos_now.object = object;
    tt_freertos_now.intent = state;
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

/* Called by each tick of the kernel, in its critical section, before it looks for tasks to wake. */
void tt_freertos_on_tick(uint32_t count);

#endif
