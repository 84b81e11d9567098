/* Table of existing tasks and named objects, for hosts that connect late and streams that start
 * late. */
#include <stddef.h>

#include "freertos_port.h"
#include "tickertape/hooks.h"
#include "tickertape/port.h"

#ifndef TT_FREERTOS_TASKS
#define TT_FREERTOS_TASKS 24
#endif
#ifndef TT_FREERTOS_NAMES
#define TT_FREERTOS_NAMES 24
#endif

static struct {
    const void *tcb;
    const char *name;
} tasks[TT_FREERTOS_TASKS];
static struct {
    const void *object;
    const char *name;
    uint32_t kind;
    uint32_t limit;
} names[TT_FREERTOS_NAMES];

#if TT_FREERTOS_CORES > 1
atomic_flag tt_freertos_tables_taken = ATOMIC_FLAG_INIT;
#endif

void tt_freertos_remember_task(const void *tcb, const char *name)
{
    tt_port_key_t key = tt_freertos_lock();
    for (uint32_t i = 0; i < TT_FREERTOS_TASKS; i++) {
        if (tasks[i].tcb == NULL) {
            tasks[i].tcb = tcb;
            tasks[i].name = name;
            break;
        }
    }
    tt_freertos_unlock(key);
}

void tt_freertos_forget_task(const void *tcb)
{
    tt_port_key_t key = tt_freertos_lock();
    for (uint32_t i = 0; i < TT_FREERTOS_TASKS; i++) {
        if (tasks[i].tcb == tcb) {
            tasks[i].tcb = NULL;
        }
    }
    tt_freertos_unlock(key);
}

void tt_freertos_remember(const void *object, uint32_t kind, uint32_t limit, const char *name)
{
    tt_port_key_t key = tt_freertos_lock();
    uint32_t place = TT_FREERTOS_NAMES;
    for (uint32_t i = TT_FREERTOS_NAMES; i-- > 0u;) {
        if (names[i].object == object) {
            place = i;
            break;
        }
        place = names[i].object == NULL ? i : place;
    }
    if (place < TT_FREERTOS_NAMES) {
        names[place].object = object;
        names[place].name = name;
        names[place].kind = kind;
        names[place].limit = limit;
    }
    tt_freertos_unlock(key);
    tt_emit_system_mapname(kind, tt_object_id(object), name);
}

void tt_freertos_name(const void *object, uint32_t kind, const char *name)
{
    tt_freertos_remember(object, kind, 0u, name);
}

void tt_freertos_forget(const void *object)
{
    tt_port_key_t key = tt_freertos_lock();
    for (uint32_t i = 0; i < TT_FREERTOS_NAMES; i++) {
        if (names[i].object == object) {
            names[i].object = NULL;
        }
    }
    tt_freertos_unlock(key);
}

/* Return the state of a task from its uxTaskNumber. The kernel's lock keeps it from changing. */
static uint8_t state_of(uint32_t word)
{
    uint32_t state = word >> TT_FREERTOS_STATE_SHIFT;
    for (uint32_t core = 0; core < TT_FREERTOS_CORES; core++) {
        if ((word & TT_FREERTOS_NUMBER_MASK) == tt_freertos_now[core].running) {
            return (uint8_t)TT_THREAD_RUNNING;
        }
    }
    return (uint8_t)(state == 0u || state == TT_FREERTOS_NEW ? TT_THREAD_READY : state);
}

static void describe_task(uint32_t index, tt_name_t *name)
{
    const void *tcb = tasks[index].tcb;
    *name = (tt_name_t){.kind = TT_OBJECT_KIND_THREAD};
    if (tcb == NULL || !tt_freertos_is_known(tcb)) {
        return;
    }
    TaskHandle_t handle = (TaskHandle_t)(uintptr_t)tcb;
    uint32_t word = (uint32_t)uxTaskGetTaskNumber(handle);
    TaskStatus_t status;
    vTaskGetInfo(handle, &status, pdFALSE, eReady); /* do not compute its stack and its state */
    *name = (tt_name_t){
        .kind = TT_OBJECT_KIND_THREAD,
        .id = word & TT_FREERTOS_NUMBER_MASK,
        .state = state_of(word),
        .priority = (uint8_t)status.uxCurrentPriority,
        .text = tasks[index].name,
    };
}

/* Describe the channel of a task's notifications. */
static void describe_notifications(uint32_t index, tt_name_t *name)
{
    *name = (tt_name_t){
        .kind = TT_OBJECT_KIND_CHANNEL,
        .id = tt_object_id(tasks[index].tcb),
        .text = tasks[index].tcb == NULL ? NULL : tasks[index].name,
    };
}

static void describe_name(uint32_t index, tt_name_t *name)
{
    *name = (tt_name_t){
        .kind = (tt_object_kind_t)names[index].kind,
        .id = tt_object_id(names[index].object),
        .parent = names[index].limit,
        .text = names[index].object == NULL ? NULL : names[index].name,
    };
}

bool tt_freertos_describe(uint32_t index, tt_name_t *name)
{
    if (index >= 2u * TT_FREERTOS_TASKS + TT_FREERTOS_NAMES) {
        return false;
    }
#if TT_FREERTOS_CORES > 1
    taskENTER_CRITICAL(); /* keeps the other core from deleting the task meanwhile */
#endif
    tt_port_key_t key = tt_freertos_lock();
    if (index < TT_FREERTOS_TASKS) {
        describe_task(index, name);
    } else if (index < 2u * TT_FREERTOS_TASKS) {
        describe_notifications(index - TT_FREERTOS_TASKS, name);
    } else {
        describe_name(index - 2u * TT_FREERTOS_TASKS, name);
    }
    tt_freertos_unlock(key);
#if TT_FREERTOS_CORES > 1
    taskEXIT_CRITICAL();
#endif
    return true;
}
