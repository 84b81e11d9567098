/*
 * tickertape_freertos.h - FreeRTOS records what it does.
 *
 * Include it as the last line of FreeRTOSConfig.h. It fills the kernel's trace macros; the
 * functions below are the application's interface. Kernels V10.4 to V11, one core, no MPU.
 * Assembler sources may include it: they see nothing. With TT_CONFIG_ENABLED 0 no macro is
 * filled, and the functions are empty.
 *
 * Settings, before the include:
 *   configUSE_TRACE_FACILITY      1; the port owns a task's uxTaskNumber
 *   TT_FREERTOS_CLOCK_HZ          rate of the clock register, default configCPU_CLOCK_HZ
 *   TT_FREERTOS_TASKS             tasks that a late start can name, default 24
 *   TT_FREERTOS_NAMES             queues, semaphores, timers with names, default 24
 *   TT_FREERTOS_DRAIN_PRIORITY    default tskIDLE_PRIORITY + 1
 *   TT_FREERTOS_DRAIN_STACK_WORDS default 384
 *   TT_FREERTOS_DRAIN_PERIOD_MS   longest time between two turns of the drain, default 20
 *   TT_FREERTOS_DRAIN_TASK        0: no drain task; call tt_freertos_drain(), default 1
 *   TT_FREERTOS_CALLS             1: record kernel calls, kernels from V11 on, default 0
 *   TT_FREERTOS_VECTORS           entries of the table of tt_freertos_wrap_vectors(), default 0
 *
 * docs/freertos.md has the steps and the limits.
 */
#ifndef TICKERTAPE_FREERTOS_H
#define TICKERTAPE_FREERTOS_H

#if !defined(__ASSEMBLER__) && !defined(__ASSEMBLY__) && !defined(__IAR_SYSTEMS_ASM__)

#if defined(TT_CONFIG_ENABLED) && !TT_CONFIG_ENABLED
#define TT_FREERTOS_ENABLED 0
#else
#define TT_FREERTOS_ENABLED 1
#endif

#if TT_FREERTOS_ENABLED
#if !defined(configUSE_TRACE_FACILITY) || configUSE_TRACE_FACILITY != 1
#error "tickertape: set configUSE_TRACE_FACILITY to 1 in FreeRTOSConfig.h, before this include"
#endif
#if defined(configNUMBER_OF_CORES) && configNUMBER_OF_CORES > 1
#error                                                                                             \
    "tickertape: several cores are not supported: the port follows one running task; set configNUMBER_OF_CORES to 1"
#endif
#if defined(configENABLE_MPU) && configENABLE_MPU == 1
#error                                                                                             \
    "tickertape: tasks under an MPU are not supported: they cannot reach the recorder; set configENABLE_MPU to 0"
#endif
#ifdef traceTASK_SWITCHED_IN
#error "tickertape: another tracer has defined the trace macros; remove its include"
#endif
#endif

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Declares a function of the application; without the recorder it is empty and needs no source. The
 * structure takes the semicolon, which ISO C does not allow after a function. */
#if TT_FREERTOS_ENABLED
#define TT_FREERTOS_API
#define TT_FREERTOS_WITHOUT(...)
#else
#define TT_FREERTOS_API static inline
#define TT_FREERTOS_WITHOUT(...)                                                                   \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }                                                                                              \
    struct tt_freertos_link
#endif

/* Application. ---------------------------------------------------------------------------------
 */

/*
 * What carries the trace: four callbacks of the drain task. None of them waits.
 *   room_bytes  bytes that put() takes now; at least TT_LINK_LEAST_BYTES (tickertape/link.h) when
 *               nothing waits to be sent
 *   put         take `count` bytes
 *   get         copy up to `count` received bytes and return how many; NULL: the link only sends
 *   kick        start to send what put() took: the drain has no more for now; may be NULL
 */
typedef struct tt_freertos_link {
    void *context; /* handed back in every call */
    uint32_t (*room_bytes)(void *context);
    void (*put)(void *context, const uint8_t *bytes, uint32_t count);
    uint32_t (*get)(void *context, uint8_t *bytes, uint32_t count);
    void (*kick)(void *context);
} tt_freertos_link_t;

/*
 * Record everything from now on, and create the drain task. Call it once, in main() before the
 * first task, queue or semaphore is created. `name` is that of the application, for people; it has
 * to stay valid. Returns 0, or a negative number: the clock does not count, or the drain task
 * cannot be created.
 */
TT_FREERTOS_API int tt_freertos_start(const char *name, const tt_freertos_link_t *link)
    TT_FREERTOS_WITHOUT((void)name; (void)link; return 0;);

/*
 * End the trace: stop recording and wait until the link has taken everything. Tasks only. With a
 * link that takes nothing it does not return.
 */
TT_FREERTOS_API void tt_freertos_finish(void) TT_FREERTOS_WITHOUT();

/*
 * Name an object that is in no registry: an event group, a stream buffer. `kind` is a
 * TT_OBJECT_KIND_* number (tickertape/wire.h); `name` has to stay valid. Queues, semaphores and
 * mutexes get theirs from vQueueAddToRegistry(), tasks and timers have one. Any context.
 */
TT_FREERTOS_API void tt_freertos_name(const void *object, uint32_t kind, const char *name)
    TT_FREERTOS_WITHOUT((void)object; (void)kind; (void)name;);

/*
 * First and last statement of an interrupt handler of yours, to have it in the trace. From V11 on
 * SysTick has both, and portYIELD_FROM_ISR() has the exit: a second exit is ignored, and one
 * without an entry as well. Not from threads.
 */
TT_FREERTOS_API void tt_freertos_isr_enter(void) TT_FREERTOS_WITHOUT();
TT_FREERTOS_API void tt_freertos_isr_exit(void) TT_FREERTOS_WITHOUT();

/*
 * Have interrupts in the trace whose handlers stay as they are: IRQ `first` and the `count` - 1
 * that follow. The vector table is copied to RAM once, and their entries call the handlers between
 * tt_freertos_isr_enter() and tt_freertos_isr_exit(). Needs TT_FREERTOS_VECTORS, the number of
 * entries of the table with its 16 exceptions. Returns 0, or a negative number: the table is too
 * small, or the processor cannot move it. Handlers are functions that return; those that look at
 * their EXC_RETURN or stack frame cannot be wrapped. Not from interrupts.
 */
TT_FREERTOS_API int tt_freertos_wrap_vectors(uint32_t first, uint32_t count)
    TT_FREERTOS_WITHOUT((void)first; (void)count; return 0;);

/*
 * Send what waits, until the link is full: for programs without drain task
 * (TT_FREERTOS_DRAIN_TASK 0), from vApplicationIdleHook() or one task's loop. Does not block. One
 * task only, and after tt_freertos_start().
 */
TT_FREERTOS_API void tt_freertos_drain(void) TT_FREERTOS_WITHOUT();

#if TT_FREERTOS_ENABLED

/* The kernel's macros. -------------------------------------------------------------------------
 *
 * They expand in tasks.c, queue.c, event_groups.c, stream_buffer.c and timers.c, where the
 * structures and some local variables of these files are visible.
 *
 * uxTaskNumber of a task is TT_FREERTOS_STATE * its state + its number. The state is 0 while the
 * task is ready or runs, so that the many places where the kernel moves a task to a ready list
 * report only those that end a wait.
 */
#define TT_FREERTOS_STATE_SHIFT 24
#define TT_FREERTOS_NUMBER_MASK 0xffffffu
#define TT_FREERTOS_STATE(tcb)  ((tcb)->uxTaskNumber >> TT_FREERTOS_STATE_SHIFT)
#define TT_FREERTOS_NUMBER(tcb) ((uint32_t)(tcb)->uxTaskNumber & TT_FREERTOS_NUMBER_MASK)
#define TT_FREERTOS_NO_TASK     0xffffffffu

/* Names of the kernel's variable, by its major version. */
#define TT_FREERTOS_IDLE_10     xIdleTaskHandle
#define TT_FREERTOS_IDLE_11     xIdleTaskHandles[0]
#define TT_FREERTOS_JOIN_(a, b) a##b
#define TT_FREERTOS_JOIN(a, b)  TT_FREERTOS_JOIN_(a, b)
#define TT_FREERTOS_IDLE        TT_FREERTOS_JOIN(TT_FREERTOS_IDLE_, tskKERNEL_VERSION_MAJOR)

/* The running task's number; TT_FREERTOS_NO_TASK before the first one runs. Kernel only. */
extern volatile uint32_t tt_freertos_running;

/* The state in which the running task is about to wait, TT_THREAD_*; 0: it is not. Kernel only. */
extern uint32_t tt_freertos_intent;

typedef struct tt_freertos_task {
    unsigned long *number; /* its uxTaskNumber */
    const void *tcb;
    uint32_t priority;
} tt_freertos_task_t;

#define TT_FREERTOS_TASK(task)                                                                     \
    (&(const tt_freertos_task_t){.number = (unsigned long *)&(task)->uxTaskNumber,                 \
                                 .tcb = (task),                                                    \
                                 .priority = (uint32_t)(task)->uxPriority})

/* Tasks and the scheduler. */
void tt_freertos_created(const tt_freertos_task_t *task, uint32_t number, const char *name,
                         const char *idle_name, bool is_started);
void tt_freertos_deleted(const tt_freertos_task_t *task);
void tt_freertos_ready(const tt_freertos_task_t *task);
void tt_freertos_left(const tt_freertos_task_t *task, bool has_event_list);
void tt_freertos_first(const tt_freertos_task_t *task, const void *idle_tcb);
void tt_freertos_switched(uint32_t previous, uint32_t next);
void tt_freertos_slept(const void *event_list);
void tt_freertos_suspended(const tt_freertos_task_t *task, bool is_self);
void tt_freertos_priority(uint32_t number, uint32_t priority);
void tt_freertos_inherit(uint32_t number, uint32_t priority);
void tt_freertos_restore(uint32_t number, uint32_t priority);
void tt_freertos_tick(uint32_t count);

#define traceTASK_CREATE(tcb)                                                                      \
    tt_freertos_created(TT_FREERTOS_TASK(tcb), (uint32_t)(tcb)->uxTCBNumber, (tcb)->pcTaskName,    \
                        configIDLE_TASK_NAME, xSchedulerRunning != pdFALSE)
#define traceTASK_DELETE(tcb) tt_freertos_deleted(TT_FREERTOS_TASK(tcb))
#define traceMOVED_TASK_TO_READY_STATE(task)                                                       \
    do {                                                                                           \
        if (TT_FREERTOS_STATE(task) != 0u) {                                                       \
            tt_freertos_ready(TT_FREERTOS_TASK(task));                                             \
        }                                                                                          \
    } while (0)
#define TT_FREERTOS_EVENT_LIST                                                                     \
    ((const void *)listLIST_ITEM_CONTAINER(&pxCurrentTCB->xEventListItem))
#define traceTASK_SWITCHED_OUT()                                                                   \
    do {                                                                                           \
        if (listIS_CONTAINED_WITHIN(&pxReadyTasksLists[pxCurrentTCB->uxPriority],                  \
                                    &pxCurrentTCB->xStateListItem)) {                              \
            tt_freertos_intent = 0; /* what it was about to wait for has come */                   \
        } else {                                                                                   \
            tt_freertos_left(TT_FREERTOS_TASK(pxCurrentTCB), TT_FREERTOS_EVENT_LIST != NULL);      \
        }                                                                                          \
    } while (0)
#define traceTASK_SWITCHED_IN()                                                                    \
    do {                                                                                           \
        const uint32_t tt_before = tt_freertos_running;                                            \
        const uint32_t tt_next = TT_FREERTOS_NUMBER(pxCurrentTCB);                                 \
        if (tt_before == TT_FREERTOS_NO_TASK) {                                                    \
            tt_freertos_first(TT_FREERTOS_TASK(pxCurrentTCB), TT_FREERTOS_IDLE);                   \
        } else if (tt_next != tt_before) {                                                         \
            tt_freertos_switched(tt_before, tt_next);                                              \
        }                                                                                          \
    } while (0)
/* The second one also where the timer task waits for its queue, then with an event list. */
#define traceTASK_DELAY()            tt_freertos_slept(NULL)
#define traceTASK_DELAY_UNTIL(ticks) tt_freertos_slept(TT_FREERTOS_EVENT_LIST)
#define traceTASK_SUSPEND(task)                                                                    \
    tt_freertos_suspended(TT_FREERTOS_TASK(task),                                                  \
                          xSchedulerRunning != pdFALSE && (task) == pxCurrentTCB)

/* The priority that a task has after vTaskPrioritySet(): an inherited one stays; from V11 on unless
 * the new one is higher. */
#if defined(configUSE_MUTEXES) && configUSE_MUTEXES == 1
#define TT_FREERTOS_KEEPS(tcb, priority)                                                           \
    ((tcb)->uxBasePriority != (tcb)->uxPriority &&                                                 \
     (tskKERNEL_VERSION_MAJOR < 11 || (priority) <= (tcb)->uxPriority))
#else
#define TT_FREERTOS_KEEPS(tcb, priority) ((priority) == (tcb)->uxPriority)
#endif
#define traceTASK_PRIORITY_SET(tcb, priority)                                                      \
    do {                                                                                           \
        if (!TT_FREERTOS_KEEPS(tcb, priority)) {                                                   \
            tt_freertos_priority(TT_FREERTOS_NUMBER(tcb), (uint32_t)(priority));                   \
        }                                                                                          \
    } while (0)
#define traceTASK_PRIORITY_INHERIT(tcb, priority)                                                  \
    tt_freertos_inherit(TT_FREERTOS_NUMBER(tcb), (uint32_t)(priority))
#define traceTASK_PRIORITY_DISINHERIT(tcb, priority)                                               \
    tt_freertos_restore(TT_FREERTOS_NUMBER(tcb), (uint32_t)(priority))

/* While the scheduler is suspended the kernel counts ticks elsewhere, and comes back for each. */
#define traceTASK_INCREMENT_TICK(count)                                                            \
    do {                                                                                           \
        if (uxSchedulerSuspended == 0u) {                                                          \
            tt_freertos_tick((uint32_t)(count) + 1u);                                              \
        }                                                                                          \
    } while (0)
#define traceINCREASE_TICK_COUNT(ticks) tt_freertos_tick((uint32_t)xTickCount)

/*
 * Queues, semaphores, mutexes, by their ucQueueType. `count` is that of a semaphore after the call,
 * `holder` the task that has the mutex. Four arguments fit into registers.
 */
void tt_freertos_sent(const void *queue, uint32_t type, uint32_t count, const void *holder);
void tt_freertos_received(const void *queue, uint32_t type, uint32_t count);
void tt_freertos_waits_to_send(const void *queue);
void tt_freertos_waits_to_receive(const void *queue, uint32_t type, const void *holder);
void tt_freertos_not_sent(const void *queue, bool waited);
void tt_freertos_not_received(const void *queue, uint32_t type, const void *holder, bool waited);
void tt_freertos_registered(const void *queue, uint32_t type, uint32_t length, const char *name);
void tt_freertos_forget(const void *object);

/* The macros come before the count changes; a permit for which a task is woken is that task's. A
 * member of a queue set wakes none: its set does. */
#if defined(configUSE_QUEUE_SETS) && configUSE_QUEUE_SETS == 1
#define TT_FREERTOS_WAKES(q)                                                                       \
    ((q)->pxQueueSetContainer == NULL && !listLIST_IS_EMPTY(&(q)->xTasksWaitingToReceive))
#else
#define TT_FREERTOS_WAKES(q) (!listLIST_IS_EMPTY(&(q)->xTasksWaitingToReceive))
#endif
#define TT_FREERTOS_SENT(q)                                                                        \
    tt_freertos_sent((q), (q)->ucQueueType,                                                        \
                     TT_FREERTOS_WAKES(q) ? 0u : (uint32_t)(q)->uxMessagesWaiting + 1u,            \
                     (q)->u.xSemaphore.xMutexHolder)
#define TT_FREERTOS_RECEIVED(q)                                                                    \
    tt_freertos_received((q), (q)->ucQueueType, (uint32_t)(q)->uxMessagesWaiting - 1u)
#define TT_FREERTOS_WAITS(q)                                                                       \
    tt_freertos_waits_to_receive((q), (q)->ucQueueType, (q)->u.xSemaphore.xMutexHolder)
#define TT_FREERTOS_NOT_RECEIVED(q)                                                                \
    tt_freertos_not_received((q), (q)->ucQueueType, (q)->u.xSemaphore.xMutexHolder,                \
                             xEntryTimeSet != pdFALSE)

/* Whether the kernel reports its calls to us. */
#if defined(TT_FREERTOS_CALLS) && TT_FREERTOS_CALLS
#define TT_FREERTOS_HAS_CALLS (tskKERNEL_VERSION_MAJOR >= 11)
#else
#define TT_FREERTOS_HAS_CALLS false
#endif

/*
 * Deferred calls (freertos_deferred.c). The kernel has no macro where they are executed; messages
 * of the timer task's queue show it. traceQUEUE_SEND comes before the message is copied, from
 * pvItemToQueue; traceQUEUE_RECEIVE after it, at pcReadFrom.
 */
#if defined(configUSE_TIMERS) && configUSE_TIMERS == 1 &&                                          \
    defined(INCLUDE_xTimerPendFunctionCall) && INCLUDE_xTimerPendFunctionCall == 1
#define TT_FREERTOS_DEFERRED 1
extern const void *volatile tt_freertos_timer_queue; /* NULL: not known yet */
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

#define traceQUEUE_SEND(q)                                                                         \
    do {                                                                                           \
        TT_FREERTOS_SENT(q);                                                                       \
        TT_FREERTOS_OF_TIMERS(q, tt_freertos_command_sent(pvItemToQueue));                         \
    } while (0)
#define traceQUEUE_SEND_FROM_ISR(q) TT_FREERTOS_SENT(q)
/* `set` gets the handle of a member that has something. */
#define traceQUEUE_SET_SEND(set)    TT_FREERTOS_SENT(set)
#define traceQUEUE_RECEIVE(q)                                                                      \
    do {                                                                                           \
        TT_FREERTOS_RECEIVED(q);                                                                   \
        TT_FREERTOS_OF_TIMERS(                                                                     \
            q, tt_freertos_command_received((q)->u.xQueue.pcReadFrom, TT_FREERTOS_HAS_CALLS));     \
    } while (0)
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

/* Notifications: a task's are a channel, whose address is that of the task. */
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

/* Event groups. */
void tt_freertos_flags_set(const void *group, uint32_t bits);
void tt_freertos_flags_clear(const void *group, uint32_t bits);
void tt_freertos_flags_wait(const void *group, uint32_t bits);
void tt_freertos_flags_waited(const void *group, bool is_late);

#define traceEVENT_GROUP_SET_BITS(group, bits)   tt_freertos_flags_set(group, (uint32_t)(bits))
#define traceEVENT_GROUP_CLEAR_BITS(group, bits) tt_freertos_flags_clear(group, (uint32_t)(bits))
#define traceEVENT_GROUP_WAIT_BITS_BLOCK(group, bits)                                              \
    tt_freertos_flags_wait(group, (uint32_t)(bits))
#define traceEVENT_GROUP_SYNC_BLOCK(group, set, bits)                                              \
    tt_freertos_flags_wait(group, (uint32_t)(bits))
#define traceEVENT_GROUP_WAIT_BITS_END(group, bits, is_late)                                       \
    tt_freertos_flags_waited(group, (is_late) != pdFALSE && xTicksToWait != 0u)
#define traceEVENT_GROUP_SYNC_END(group, set, bits, is_late)                                       \
    tt_freertos_flags_waited(group, (is_late) != pdFALSE && xTicksToWait != 0u)
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

/* Software timers: their callbacks run in the timer task. */
void tt_freertos_timer_created(const void *timer, const char *name);
void tt_freertos_timer_expired(const void *timer, uint32_t count);

/* uxTimerNumber counts how often a timer has expired since the last command to it. */
#define traceTIMER_CREATE(timer) tt_freertos_timer_created(timer, (timer)->pcTimerName)
#define traceTIMER_COMMAND_RECEIVED(timer, command, value)                                         \
    do {                                                                                           \
        (timer)->uxTimerNumber = 0;                                                                \
    } while (0)
#define traceTIMER_EXPIRED(timer)                                                                  \
    tt_freertos_timer_expired(timer, (uint32_t)++(timer)->uxTimerNumber)

/* The heap: how much is free after each change, and how often memory was refused. */
void tt_freertos_allocated(const void *address);
void tt_freertos_freed(void);

#define traceMALLOC(address, bytes) tt_freertos_allocated(address)
#define traceFREE(address, bytes)   tt_freertos_freed()

/* Tickless idle: xExpectedIdleTime is a variable of the idle task. */
void tt_freertos_sleeps(uint32_t ticks);
void tt_freertos_wakes(void);

#define traceLOW_POWER_IDLE_BEGIN() tt_freertos_sleeps((uint32_t)xExpectedIdleTime)
#define traceLOW_POWER_IDLE_END()   tt_freertos_wakes()

/* Interrupts: the kernel's SysTick handler from V11 on. */
#define traceISR_ENTER()             tt_freertos_isr_enter()
#define traceISR_EXIT()              tt_freertos_isr_exit()
#define traceISR_EXIT_TO_SCHEDULER() tt_freertos_isr_exit()

#if defined(TT_FREERTOS_CALLS) && TT_FREERTOS_CALLS
#include "freertos_calls.h"
#endif

#endif

#ifdef __cplusplus
}
#endif

#endif
#endif
