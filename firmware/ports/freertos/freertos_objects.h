/*
 * freertos_objects.h - the kernel's trace macros of queues, semaphores, mutexes, notifications,
 * event groups, stream buffers and timers.
 *
 * Included by tickertape_freertos.h. The macros expand in the kernel's sources, where the
 * structures and some local variables of these files are visible.
 */
#ifndef FREERTOS_OBJECTS_H
#define FREERTOS_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Queues, semaphores, mutexes. `count` is the count of a semaphore after the call, `holder` the
 * task that owns the mutex. `item` is the item that the kernel is about to copy, `taken` the one
 * that it has copied; NULL if the macro cannot access it.
 */
void tt_freertos_sem_given(const void *sem, uint32_t count);
void tt_freertos_sem_taken(const void *sem, uint32_t count);
void tt_freertos_mutex_given(const void *mutex);
void tt_freertos_mutex_taken(const void *mutex);
void tt_freertos_queue_sent(const void *queue, const void *item);
void tt_freertos_queue_received(const void *queue, const void *taken);
void tt_freertos_waits_to_send(const void *queue);
void tt_freertos_waits_to_receive(const void *queue);
void tt_freertos_waits_for_sem(const void *sem);
void tt_freertos_waits_for_mutex(const void *mutex, const void *holder);
void tt_freertos_not_sent(const void *queue, bool waited);
void tt_freertos_not_received(const void *queue, uint32_t type, const void *holder, bool waited);
void tt_freertos_registered(const void *queue, uint32_t type, uint32_t length, const char *name);
void tt_freertos_forget(const void *object);

/* ucQueueType: 0 queue, 1 mutex, 2 counting semaphore, 3 binary semaphore, 4 recursive mutex, 5 set
 * (from V11 on). freertos_objects.c checks these values. */
#define TT_FREERTOS_TYPE_IS_SEMAPHORE(type) (((type) & 2u) != 0u)
#define TT_FREERTOS_TYPE_IS_MUTEX(type)     ((type) == 1u || (type) == 4u)
#define TT_FREERTOS_BY_TYPE(q, sem, mutex, queue)                                                  \
    do {                                                                                           \
        const uint32_t tt_type = (q)->ucQueueType;                                                 \
        if (TT_FREERTOS_TYPE_IS_SEMAPHORE(tt_type)) {                                              \
            sem;                                                                                   \
        } else if (TT_FREERTOS_TYPE_IS_MUTEX(tt_type)) {                                           \
            mutex;                                                                                 \
        } else {                                                                                   \
            queue;                                                                                 \
        }                                                                                          \
    } while (0)

/* Return whether a send wakes a task, which then gets the permit. The macros expand before the
 * count changes. A member of a queue set wakes no task, but its set does. */
#if defined(configUSE_QUEUE_SETS) && configUSE_QUEUE_SETS == 1
#define TT_FREERTOS_WAKES(q)                                                                       \
    ((q)->pxQueueSetContainer == NULL && !listLIST_IS_EMPTY(&(q)->xTasksWaitingToReceive))
#else
#define TT_FREERTOS_WAKES(q) (!listLIST_IS_EMPTY(&(q)->xTasksWaitingToReceive))
#endif
/* The kernel gives a new mutex, which has no holder: this is not recorded. */
#define TT_FREERTOS_MUTEX_GIVEN(q)                                                                 \
    do {                                                                                           \
        if (__builtin_expect((q)->u.xSemaphore.xMutexHolder != NULL, 1)) {                         \
            tt_freertos_mutex_given(q);                                                            \
        }                                                                                          \
    } while (0)
#define TT_FREERTOS_SENT(q, item)                                                                  \
    TT_FREERTOS_BY_TYPE(q,                                                                         \
                        tt_freertos_sem_given((q), TT_FREERTOS_WAKES(q)                            \
                                                       ? 0u                                        \
                                                       : (uint32_t)(q)->uxMessagesWaiting + 1u),   \
                        TT_FREERTOS_MUTEX_GIVEN(q), tt_freertos_queue_sent((q), (item)))
#define TT_FREERTOS_RECEIVED(q)                                                                    \
    TT_FREERTOS_BY_TYPE(q, tt_freertos_sem_taken((q), (uint32_t)(q)->uxMessagesWaiting - 1u),      \
                        tt_freertos_mutex_taken(q),                                                \
                        tt_freertos_queue_received((q), (q)->u.xQueue.pcReadFrom))
#define TT_FREERTOS_WAITS(q)                                                                       \
    TT_FREERTOS_BY_TYPE(q, tt_freertos_waits_for_sem(q),                                           \
                        tt_freertos_waits_for_mutex((q), (q)->u.xSemaphore.xMutexHolder),          \
                        tt_freertos_waits_to_receive(q))
/* These macros expand after the kernel has left its lock, so on several cores the holder could
 * change meanwhile. */
#if TT_FREERTOS_CORES > 1
#define TT_FREERTOS_LOCKED(call)                                                                   \
    do {                                                                                           \
        taskENTER_CRITICAL();                                                                      \
        call;                                                                                      \
        taskEXIT_CRITICAL();                                                                       \
    } while (0)
#else
#define TT_FREERTOS_LOCKED(call) call
#endif
#define TT_FREERTOS_NOT_RECEIVED(q)                                                                \
    TT_FREERTOS_LOCKED(tt_freertos_not_received(                                                   \
        (q), (q)->ucQueueType, (q)->u.xSemaphore.xMutexHolder, xEntryTimeSet != pdFALSE))

/* Whether the kernel's macros report its calls. */
#if defined(TT_FREERTOS_CALLS) && TT_FREERTOS_CALLS
#define TT_FREERTOS_HAS_CALLS (tskKERNEL_VERSION_MAJOR >= 11)
#else
#define TT_FREERTOS_HAS_CALLS false
#endif

/*
 * Deferred calls (freertos_deferred.c). The kernel has no macro where they are executed, so the
 * port reads the messages of the timer task's queue. traceQUEUE_SEND expands before the message is
 * copied from pvItemToQueue, traceQUEUE_RECEIVE after the message at pcReadFrom was copied.
 */
#if defined(configUSE_TIMERS) && configUSE_TIMERS == 1 &&                                          \
    defined(INCLUDE_xTimerPendFunctionCall) && INCLUDE_xTimerPendFunctionCall == 1
#define TT_FREERTOS_DEFERRED 1
extern const void *volatile tt_freertos_timer_queue; /* NULL: unknown yet */
void tt_freertos_timers(const void *queue);
void tt_freertos_command_sent(const void *message);
void tt_freertos_command_received(const void *message, bool has_calls);
void tt_freertos_execute(void);
void tt_freertos_executed(void);
void tt_freertos_pended(const void *queue, void (*function)(void *, uint32_t), bool is_sent,
                        bool is_isr);

#define TT_FREERTOS_OF_TIMERS(q, call)                                                             \
    do {                                                                                           \
        if ((const void *)(q) == tt_freertos_timer_queue) {                                        \
            call;                                                                                  \
        }                                                                                          \
    } while (0)
#define tracePEND_FUNC_CALL(function, first, second, result)                                       \
    tt_freertos_pended(xTimerQueue, (function), (result) == pdPASS, false)
#define tracePEND_FUNC_CALL_FROM_ISR(function, first, second, result)                              \
    tt_freertos_pended(xTimerQueue, (function), (result) == pdPASS, true)
#define traceRETURN_xTimerCreateTimerTask(result) tt_freertos_timers(xTimerQueue)
#else
#define TT_FREERTOS_DEFERRED           0
#define TT_FREERTOS_OF_TIMERS(q, call) (void)0
#endif

#define traceQUEUE_SEND(q)                TT_FREERTOS_SENT(q, pvItemToQueue)
#define traceQUEUE_SEND_FROM_ISR(q)       TT_FREERTOS_SENT(q, NULL)
/* `set` gets the handle of a member that is ready. */
#define traceQUEUE_SET_SEND(set)          TT_FREERTOS_SENT(set, NULL)
#define traceQUEUE_RECEIVE(q)             TT_FREERTOS_RECEIVED(q)
#define traceQUEUE_RECEIVE_FROM_ISR(q)    TT_FREERTOS_RECEIVED(q)
#define traceBLOCKING_ON_QUEUE_SEND(q)    tt_freertos_waits_to_send(q)
#define traceBLOCKING_ON_QUEUE_RECEIVE(q) TT_FREERTOS_WAITS(q)
#define traceBLOCKING_ON_QUEUE_PEEK(q)    TT_FREERTOS_WAITS(q)
#define traceQUEUE_SEND_FAILED(q)         tt_freertos_not_sent((q), xEntryTimeSet != pdFALSE)
#define traceQUEUE_RECEIVE_FAILED(q)                                                               \
    do {                                                                                           \
        TT_FREERTOS_NOT_RECEIVED(q);                                                               \
        TT_FREERTOS_OF_TIMERS(q, tt_freertos_command_received(NULL, TT_FREERTOS_HAS_CALLS));       \
    } while (0)
#define traceQUEUE_PEEK_FAILED(q) TT_FREERTOS_NOT_RECEIVED(q)
#define traceQUEUE_REGISTRY_ADD(q, name)                                                           \
    tt_freertos_registered((q), ((const Queue_t *)(q))->ucQueueType,                               \
                           (uint32_t)((const Queue_t *)(q))->uxLength, (name))
#define traceQUEUE_DELETE(q) tt_freertos_forget(q)

/* Notifications: those of a task are a channel with the address of the task. */
void tt_freertos_notified(const void *tcb);
void tt_freertos_waits_for_notification(const void *tcb);
void tt_freertos_took_notification(const void *tcb, bool is_there, bool waited);

#define traceTASK_NOTIFY(index)               tt_freertos_notified(pxTCB)
#define traceTASK_NOTIFY_FROM_ISR(index)      tt_freertos_notified(pxTCB)
#define traceTASK_NOTIFY_GIVE_FROM_ISR(index) tt_freertos_notified(pxTCB)
#define traceTASK_NOTIFY_TAKE_BLOCK(index)    tt_freertos_waits_for_notification(pxCurrentTCB)
#define traceTASK_NOTIFY_WAIT_BLOCK(index)    tt_freertos_waits_for_notification(pxCurrentTCB)
#define traceTASK_NOTIFY_TAKE(index)                                                               \
    tt_freertos_took_notification(pxCurrentTCB, pxCurrentTCB->ulNotifiedValue[index] != 0u,        \
                                  xTicksToWait != 0u)
#define traceTASK_NOTIFY_WAIT(index)                                                               \
    tt_freertos_took_notification(pxCurrentTCB,                                                    \
                                  pxCurrentTCB->ucNotifyState[index] == taskNOTIFICATION_RECEIVED, \
                                  xTicksToWait != 0u)

/*
 * Event groups. The bits that a call clears are recorded too, so that the value of a group follows
 * from FLAGS_SET and FLAGS_CLEAR:
 *   - xEventGroupSetBits() clears the bits that the woken tasks requested to clear. Its macro
 *     expands before that, with the scheduler suspended, and reads the same list of tasks.
 *   - A wait that finds its bits at once, or at its time limit, clears them before its last macro.
 *     `bits` & ~value are the bits that are clear then; bits that another task has set again in the
 *     meantime stay set.
 */
void tt_freertos_flags_set(const void *group, uint32_t bits);
void tt_freertos_flags_clear(const void *group, uint32_t bits);
void tt_freertos_flags_wait(const void *group, uint32_t bits);
void tt_freertos_flags_waited(const void *group, bool is_late);
void tt_freertos_flags_woke(const void *group, uint32_t cleared);
void tt_freertos_flags_met(const void *group, uint32_t cleared, bool is_sync);

#define traceEVENT_GROUP_SET_BITS(group, bits)                                                     \
    do {                                                                                           \
        const EventBits_t tt_value = pxEventBits->uxEventBits | (bits);                            \
        EventBits_t tt_cleared = 0;                                                                \
        const ListItem_t *tt_item = listGET_HEAD_ENTRY(pxList);                                    \
        for (; tt_item != pxListEnd; tt_item = listGET_NEXT(tt_item)) {                            \
            const EventBits_t tt_wanted = listGET_LIST_ITEM_VALUE(tt_item);                        \
            const EventBits_t tt_waited = tt_wanted & ~eventEVENT_BITS_CONTROL_BYTES;              \
            if ((tt_wanted & eventCLEAR_EVENTS_ON_EXIT_BIT) != 0u &&                               \
                ((tt_wanted & eventWAIT_FOR_ALL_BITS) != 0u ? (tt_waited & tt_value) == tt_waited  \
                                                            : (tt_waited & tt_value) != 0u)) {     \
                tt_cleared |= tt_waited;                                                           \
            }                                                                                      \
        }                                                                                          \
        tt_freertos_flags_set((group), (uint32_t)(bits));                                          \
        tt_freertos_flags_woke((group), (uint32_t)(tt_cleared & tt_value));                        \
    } while (0)
#define traceEVENT_GROUP_CLEAR_BITS(group, bits) tt_freertos_flags_clear(group, (uint32_t)(bits))
#define traceEVENT_GROUP_WAIT_BITS_BLOCK(group, bits)                                              \
    tt_freertos_flags_wait(group, (uint32_t)(bits))
#define traceEVENT_GROUP_SYNC_BLOCK(group, set, bits)                                              \
    tt_freertos_flags_wait(group, (uint32_t)(bits))
/* The kernel has set xTicksToWait to 0 if the bits were set. */
#define TT_FREERTOS_FLAGS_WAITED(group, bits, is_late, is_met, is_sync)                            \
    do {                                                                                           \
        tt_freertos_flags_waited((group), (is_late) != pdFALSE && xTicksToWait != 0u);             \
        if ((is_late) != pdFALSE ? xTicksToWait != 0u && (is_met) : xTicksToWait == 0u) {          \
            tt_freertos_flags_met((group), (uint32_t)((bits) & ~pxEventBits->uxEventBits),         \
                                  (is_sync));                                                      \
        }                                                                                          \
    } while (0)
#define traceEVENT_GROUP_WAIT_BITS_END(group, bits, is_late)                                       \
    TT_FREERTOS_FLAGS_WAITED(group, xClearOnExit != pdFALSE ? (bits) : 0u, is_late,                \
                             prvTestWaitCondition(uxReturn, (bits), xWaitForAllBits) != pdFALSE,   \
                             false)
#define traceEVENT_GROUP_SYNC_END(group, set, bits, is_late)                                       \
    TT_FREERTOS_FLAGS_WAITED(group, bits, is_late, (uxReturn & (bits)) == (bits), true)
#define traceEVENT_GROUP_DELETE(group) tt_freertos_forget(group)

/* Stream and message buffers. */
void tt_freertos_stream_sent(const void *buffer, uint32_t byte_count);
void tt_freertos_stream_received(const void *buffer, uint32_t byte_count);
void tt_freertos_stream_waits(const void *buffer, bool to_send);

#define traceSTREAM_BUFFER_SEND(stream, bytes) tt_freertos_stream_sent(stream, (uint32_t)(bytes))
#define traceSTREAM_BUFFER_SEND_FROM_ISR(stream, bytes)                                            \
    tt_freertos_stream_sent(stream, (uint32_t)(bytes))
#define traceSTREAM_BUFFER_RECEIVE(stream, bytes)                                                  \
    tt_freertos_stream_received(stream, (uint32_t)(bytes))
#define traceSTREAM_BUFFER_RECEIVE_FROM_ISR(stream, bytes)                                         \
    tt_freertos_stream_received(stream, (uint32_t)(bytes))
#define traceBLOCKING_ON_STREAM_BUFFER_SEND(stream)    tt_freertos_stream_waits(stream, true)
#define traceBLOCKING_ON_STREAM_BUFFER_RECEIVE(stream) tt_freertos_stream_waits(stream, false)
#define traceSTREAM_BUFFER_DELETE(stream)              tt_freertos_forget(stream)

/* Software timers; their callbacks run in the timer task. */
void tt_freertos_timer_created(const void *timer, const char *name);
void tt_freertos_timer_expired(const void *timer, uint32_t count);

/* The port uses uxTimerNumber to count the expiries of a timer since the last command to it. */
#define traceTIMER_CREATE(timer) tt_freertos_timer_created(timer, (timer)->pcTimerName)
#define traceTIMER_COMMAND_RECEIVED(timer, command, value)                                         \
    do {                                                                                           \
        (timer)->uxTimerNumber = 0;                                                                \
    } while (0)
#define traceTIMER_EXPIRED(timer)                                                                  \
    tt_freertos_timer_expired(timer, (uint32_t)++(timer)->uxTimerNumber)

#endif
