/*
 * freertos_calls.h - begin and end of kernel calls, from macros of kernels from V11 on.
 *
 * Included by tickertape_freertos.h if TT_FREERTOS_CALLS is 1. The macros expand at the begin and
 * at each end of a function of the kernel, where its parameters and the types of its file are
 * visible. If a function calls others of the list, nested calls are recorded. Calls of interrupts
 * and calls before the first task runs are not recorded.
 */
#ifndef FREERTOS_CALLS_H
#define FREERTOS_CALLS_H

#include <stdint.h>

/* Kernel calls. The kernel's sources include no header of the recorder, so freertos_calls.c has the
 * TT_KERCALL_* number of each. */
typedef enum tt_freertos_call {
    TT_FREERTOS_CALL_TASK_CREATE,
    TT_FREERTOS_CALL_TASK_DELETE,
    TT_FREERTOS_CALL_DELAY,
    TT_FREERTOS_CALL_DELAY_UNTIL,
    TT_FREERTOS_CALL_PRIORITY_SET,
    TT_FREERTOS_CALL_SUSPEND,
    TT_FREERTOS_CALL_RESUME,
    TT_FREERTOS_CALL_NOTIFY,
    TT_FREERTOS_CALL_NOTIFY_WAIT,
    TT_FREERTOS_CALL_PUT,
    TT_FREERTOS_CALL_GET,
    TT_FREERTOS_CALL_SEM_GIVE,
    TT_FREERTOS_CALL_SEM_TAKE,
    TT_FREERTOS_CALL_MUTEX_GIVE,
    TT_FREERTOS_CALL_MUTEX_TAKE,
    TT_FREERTOS_CALL_FLAGS_SET,
    TT_FREERTOS_CALL_FLAGS_CLEAR,
    TT_FREERTOS_CALL_FLAGS_WAIT,
    TT_FREERTOS_CALL_TIMER,
    TT_FREERTOS_CALL_POLL,
    TT_FREERTOS_CALL_PEND,
    TT_FREERTOS_CALLS_KNOWN
} tt_freertos_call_t;

void tt_freertos_enter(tt_freertos_call_t call, const void *object, uint32_t argument);
void tt_freertos_return(tt_freertos_call_t call, int32_t result);

/* Tasks: NULL means the caller. */
#define TT_FREERTOS_WHOM(task) ((task) == NULL ? (const void *)pxCurrentTCB : (const void *)(task))
#define traceENTER_xTaskCreate(code, name, words, parameter, priority, created)                    \
    tt_freertos_enter(TT_FREERTOS_CALL_TASK_CREATE, (const void *)(uintptr_t)(code),               \
                      (uint32_t)((priority) & ~portPRIVILEGE_BIT))
#define traceRETURN_xTaskCreate(result)                                                            \
    tt_freertos_return(TT_FREERTOS_CALL_TASK_CREATE, (int32_t)(result))
#define traceENTER_xTaskCreateStatic(code, name, words, parameter, priority, stack, tcb)           \
    tt_freertos_enter(TT_FREERTOS_CALL_TASK_CREATE, (const void *)(uintptr_t)(code),               \
                      (uint32_t)((priority) & ~portPRIVILEGE_BIT))
#define traceRETURN_xTaskCreateStatic(result)                                                      \
    tt_freertos_return(TT_FREERTOS_CALL_TASK_CREATE, (result) != NULL)
#define traceENTER_vTaskDelete(task)                                                               \
    tt_freertos_enter(TT_FREERTOS_CALL_TASK_DELETE, NULL,                                          \
                      TT_FREERTOS_NUMBER((const TCB_t *)TT_FREERTOS_WHOM(task)))
#define traceRETURN_vTaskDelete() tt_freertos_return(TT_FREERTOS_CALL_TASK_DELETE, 0)
#define traceENTER_vTaskDelay(ticks)                                                               \
    tt_freertos_enter(TT_FREERTOS_CALL_DELAY, NULL, (uint32_t)(ticks))
#define traceRETURN_vTaskDelay() tt_freertos_return(TT_FREERTOS_CALL_DELAY, 0)
#define traceENTER_xTaskDelayUntil(previous, ticks)                                                \
    tt_freertos_enter(TT_FREERTOS_CALL_DELAY_UNTIL, NULL, 0u)
#define traceRETURN_xTaskDelayUntil(result)                                                        \
    tt_freertos_return(TT_FREERTOS_CALL_DELAY_UNTIL, (int32_t)(result))
#define traceENTER_vTaskPrioritySet(task, priority)                                                \
    tt_freertos_enter(TT_FREERTOS_CALL_PRIORITY_SET, TT_FREERTOS_WHOM(task), (uint32_t)(priority))
#define traceRETURN_vTaskPrioritySet() tt_freertos_return(TT_FREERTOS_CALL_PRIORITY_SET, 0)
#define traceENTER_vTaskSuspend(task)                                                              \
    tt_freertos_enter(TT_FREERTOS_CALL_SUSPEND, TT_FREERTOS_WHOM(task), 0u)
#define traceRETURN_vTaskSuspend() tt_freertos_return(TT_FREERTOS_CALL_SUSPEND, 0)
#define traceENTER_vTaskResume(task)                                                               \
    tt_freertos_enter(TT_FREERTOS_CALL_RESUME, TT_FREERTOS_WHOM(task), 0u)
#define traceRETURN_vTaskResume() tt_freertos_return(TT_FREERTOS_CALL_RESUME, 0)

/* Notifications: the address of the task identifies the channel. */
#define traceENTER_xTaskGenericNotify(task, index, value, action, previous)                        \
    tt_freertos_enter(TT_FREERTOS_CALL_NOTIFY, (const void *)(task), (uint32_t)(value))
#define traceRETURN_xTaskGenericNotify(result)                                                     \
    tt_freertos_return(TT_FREERTOS_CALL_NOTIFY, (int32_t)(result))
#define traceENTER_ulTaskGenericNotifyTake(index, clear, ticks)                                    \
    tt_freertos_enter(TT_FREERTOS_CALL_NOTIFY_WAIT, (const void *)pxCurrentTCB, 0u)
#define traceRETURN_ulTaskGenericNotifyTake(result)                                                \
    tt_freertos_return(TT_FREERTOS_CALL_NOTIFY_WAIT, (int32_t)(result))
#define traceENTER_xTaskGenericNotifyWait(index, clear_entry, clear_exit, value, ticks)            \
    tt_freertos_enter(TT_FREERTOS_CALL_NOTIFY_WAIT, (const void *)pxCurrentTCB, 0u)
#define traceRETURN_xTaskGenericNotifyWait(result)                                                 \
    tt_freertos_return(TT_FREERTOS_CALL_NOTIFY_WAIT, (int32_t)(result))

/* Queues, semaphores and mutexes share functions with the parameter xQueue. The type of a queue
 * never changes. */
#define TT_FREERTOS_IS(type) (((const Queue_t *)xQueue)->ucQueueType == queueQUEUE_TYPE_##type)
#define TT_FREERTOS_CALL_OF(queue_call, semaphore_call, mutex_call)                                \
    (xQueue == NULL                                             ? TT_FREERTOS_CALL_##queue_call    \
     : TT_FREERTOS_IS(MUTEX) || TT_FREERTOS_IS(RECURSIVE_MUTEX) ? TT_FREERTOS_CALL_##mutex_call    \
     : TT_FREERTOS_IS(COUNTING_SEMAPHORE) || TT_FREERTOS_IS(BINARY_SEMAPHORE)                      \
         ? TT_FREERTOS_CALL_##semaphore_call                                                       \
         : TT_FREERTOS_CALL_##queue_call)
#define TT_FREERTOS_CALL_SEND TT_FREERTOS_CALL_OF(PUT, SEM_GIVE, MUTEX_GIVE)
#define TT_FREERTOS_CALL_TAKE TT_FREERTOS_CALL_OF(GET, SEM_TAKE, MUTEX_TAKE)
#define traceENTER_xQueueGenericSend(queue, item, ticks, position)                                 \
    tt_freertos_enter(TT_FREERTOS_CALL_SEND, (const void *)(queue), (uint32_t)(ticks))
#define traceRETURN_xQueueGenericSend(result)                                                      \
    tt_freertos_return(TT_FREERTOS_CALL_SEND, (int32_t)(result))
#define traceENTER_xQueueReceive(queue, item, ticks)                                               \
    do {                                                                                           \
        TT_FREERTOS_OF_TIMERS(queue, tt_freertos_executed());                                      \
        tt_freertos_enter(TT_FREERTOS_CALL_GET, (const void *)(queue), (uint32_t)(ticks));         \
    } while (0)
#define traceRETURN_xQueueReceive(result)                                                          \
    do {                                                                                           \
        tt_freertos_return(TT_FREERTOS_CALL_GET, (int32_t)(result));                               \
        TT_FREERTOS_OF_TIMERS(xQueue, tt_freertos_execute());                                      \
    } while (0)
#define traceENTER_xQueueSemaphoreTake(queue, ticks)                                               \
    tt_freertos_enter(TT_FREERTOS_CALL_TAKE, (const void *)(queue), (uint32_t)(ticks))
#define traceRETURN_xQueueSemaphoreTake(result)                                                    \
    tt_freertos_return(TT_FREERTOS_CALL_TAKE, (int32_t)(result))

/* The result is the selected member, 0 for none. */
#define traceENTER_xQueueSelectFromSet(set, ticks)                                                 \
    tt_freertos_enter(TT_FREERTOS_CALL_POLL, (const void *)(set), (uint32_t)(ticks))
#define traceRETURN_xQueueSelectFromSet(member)                                                    \
    tt_freertos_return(TT_FREERTOS_CALL_POLL, (int32_t)(uintptr_t)(member))

/* Event groups. */
#define traceENTER_xEventGroupSetBits(group, bits)                                                 \
    tt_freertos_enter(TT_FREERTOS_CALL_FLAGS_SET, (const void *)(group), (uint32_t)(bits))
#define traceRETURN_xEventGroupSetBits(bits)                                                       \
    tt_freertos_return(TT_FREERTOS_CALL_FLAGS_SET, (int32_t)(bits))
#define traceENTER_xEventGroupClearBits(group, bits)                                               \
    tt_freertos_enter(TT_FREERTOS_CALL_FLAGS_CLEAR, (const void *)(group), (uint32_t)(bits))
#define traceRETURN_xEventGroupClearBits(bits)                                                     \
    tt_freertos_return(TT_FREERTOS_CALL_FLAGS_CLEAR, (int32_t)(bits))
#define traceENTER_xEventGroupWaitBits(group, bits, clear, all, ticks)                             \
    tt_freertos_enter(TT_FREERTOS_CALL_FLAGS_WAIT, (const void *)(group), (uint32_t)(bits))
#define traceRETURN_xEventGroupWaitBits(bits)                                                      \
    tt_freertos_return(TT_FREERTOS_CALL_FLAGS_WAIT, (int32_t)(bits))
#define traceENTER_xEventGroupSync(group, set, bits, ticks)                                        \
    tt_freertos_enter(TT_FREERTOS_CALL_FLAGS_WAIT, (const void *)(group), (uint32_t)(bits))
#define traceRETURN_xEventGroupSync(bits)                                                          \
    tt_freertos_return(TT_FREERTOS_CALL_FLAGS_WAIT, (int32_t)(bits))

/* Stream and message buffers. */
#define traceENTER_xStreamBufferSend(buffer, data, bytes, ticks)                                   \
    tt_freertos_enter(TT_FREERTOS_CALL_PUT, (const void *)(buffer), (uint32_t)(ticks))
#define traceRETURN_xStreamBufferSend(bytes)                                                       \
    tt_freertos_return(TT_FREERTOS_CALL_PUT, (int32_t)(bytes))
#define traceENTER_xStreamBufferReceive(buffer, data, bytes, ticks)                                \
    tt_freertos_enter(TT_FREERTOS_CALL_GET, (const void *)(buffer), (uint32_t)(ticks))
#define traceRETURN_xStreamBufferReceive(bytes)                                                    \
    tt_freertos_return(TT_FREERTOS_CALL_GET, (int32_t)(bytes))

/* Commands to a timer. */
#define traceENTER_xTimerGenericCommandFromTask(timer, command, value, woken, ticks)               \
    tt_freertos_enter(TT_FREERTOS_CALL_TIMER, (const void *)(timer), (uint32_t)(value))
#define traceRETURN_xTimerGenericCommandFromTask(result)                                           \
    tt_freertos_return(TT_FREERTOS_CALL_TIMER, (int32_t)(result))
#define traceENTER_xTimerPendFunctionCall(function, first, second, ticks)                          \
    tt_freertos_enter(TT_FREERTOS_CALL_PEND,                                                       \
                      (const void *)((uintptr_t)(function) & ~(uintptr_t)1), 0u)
#define traceRETURN_xTimerPendFunctionCall(result)                                                 \
    tt_freertos_return(TT_FREERTOS_CALL_PEND, (int32_t)(result))

#endif
