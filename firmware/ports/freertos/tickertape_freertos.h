/*
 * tickertape_freertos.h - trace macros and API of the FreeRTOS port.
 *
 * Include it as the last line of FreeRTOSConfig.h. It defines the kernel's trace macros; the
 * functions below are the application's interface. It supports kernels V10.4 to V11, several cores
 * from V11 on, and ports with MPU. Assembler sources may include it: it is empty for them. With
 * TT_CONFIG_ENABLED 0 it defines no macros, and the functions are empty.
 *
 * Settings, before the include:
 *   configUSE_TRACE_FACILITY      1; the port owns a task's uxTaskNumber
 *   TT_FREERTOS_CLOCK_HZ          rate of the clock register, default configCPU_CLOCK_HZ
 *   TT_FREERTOS_TASKS             tasks whose names a late start reports, default 24
 *   TT_FREERTOS_NAMES             queues, semaphores, timers with names, default 24
 *   TT_FREERTOS_DRAIN_PRIORITY    default tskIDLE_PRIORITY + 1
 *   TT_FREERTOS_DRAIN_STACK_WORDS default 384
 *   TT_FREERTOS_DRAIN_PERIOD_MS   longest time between two runs of the drain, default 20
 *   TT_FREERTOS_RTT_BYTES         ring of tt_freertos_rtt(), default 4096
 *   TT_FREERTOS_DRAIN_TASK        0: no drain task; call tt_freertos_drain(), default 1
 *   TT_FREERTOS_CALLS             1: record kernel calls, kernels from V11 on, default 0
 *   TT_FREERTOS_VECTORS           entries of the table of tt_freertos_wrap_vectors(), default 0
 *   TT_FREERTOS_SYSTEM_CALL       SVC number of unprivileged tasks, default 116; 0: none
 *   TT_FREERTOS_DRAIN_CORE        core of the drain task (configUSE_CORE_AFFINITY 1), default
 *                                 configTICK_CORE or 0
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
#ifdef traceTASK_SWITCHED_IN
#error "tickertape: another tracer has defined the trace macros; remove its include"
#endif
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Declare a function of the interface; without the recorder it is empty and needs no source. The
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
 * A link: four functions that the drain task calls. None of them may wait.
 *   room_bytes  return how many bytes put() takes now; at least TT_LINK_LEAST_BYTES
 *               (tickertape/link.h) when no byte waits to be sent
 *   put         take `count` bytes
 *   get         copy up to `count` received bytes and return how many; NULL: the link only sends
 *   kick        start to send the bytes that put() took: no more follow for now; may be NULL
 */
typedef struct tt_freertos_link {
    void *context; /* passed to every function */
    uint32_t (*room_bytes)(void *context);
    void (*put)(void *context, const uint8_t *bytes, uint32_t count);
    uint32_t (*get)(void *context, uint8_t *bytes, uint32_t count);
    void (*kick)(void *context);
} tt_freertos_link_t;

/*
 * Start to record all events, and create the drain task. Call it once, in main(), before the first
 * task, queue or semaphore is created. `name` is the name of the application, shown to users; it
 * must stay valid. Returns 0, or a negative number when the clock does not count or the drain task
 * cannot be created. With an MPU also when tt_freertos_svc_handler() is not in the vector table, or
 * the recorder's memory does not lie between __privileged_data_start__ and __privileged_data_end__
 * (Armv7-M, where any task could otherwise write to it).
 */
TT_FREERTOS_API int tt_freertos_start(const char *name, const tt_freertos_link_t *link)
    TT_FREERTOS_WITHOUT((void)name; (void)link; return 0;);

/*
 * Open a link over RTT, which a debug probe reads from memory, and return it for
 * tt_freertos_start(). Its ring has TT_FREERTOS_RTT_BYTES. Call it once. Needs links/rtt_link.c.
 */
TT_FREERTOS_API const tt_freertos_link_t *tt_freertos_rtt(void) TT_FREERTOS_WITHOUT(return NULL;);

/*
 * End the trace: stop recording and wait until the link has taken all records. Does not return if
 * the link accepts nothing. Tasks only.
 */
TT_FREERTOS_API void tt_freertos_finish(void) TT_FREERTOS_WITHOUT();

#if defined(INCLUDE_uxTaskGetStackHighWaterMark) && INCLUDE_uxTaskGetStackHighWaterMark
/*
 * Record how much of its stack a task has never used (SYSTEM STACK_UNUSED); NULL: the calling task.
 * The kernel searches the stack for it. Needs INCLUDE_uxTaskGetStackHighWaterMark 1. Tasks only.
 */
TT_FREERTOS_API void tt_freertos_stack(void *task) TT_FREERTOS_WITHOUT((void)task;);
#endif

/*
 * Name an object that has no registry: an event group, a stream buffer. `kind` is a
 * TT_OBJECT_KIND_* number (tickertape/wire.h); `name` must stay valid. vQueueAddToRegistry() names
 * queues, semaphores and mutexes; tasks and timers have names. Any context.
 */
TT_FREERTOS_API void tt_freertos_name(const void *object, uint32_t kind, const char *name)
    TT_FREERTOS_WITHOUT((void)object; (void)kind; (void)name;);

/*
 * Record an event of class USER, 0 to 31, with two words, as tt_emit_user_user() does. Any context,
 * also unprivileged tasks with an MPU, for which it is a system call. The other functions are for
 * privileged code.
 */
TT_FREERTOS_API void tt_freertos_user(uint32_t event, uint32_t first, uint32_t second)
    TT_FREERTOS_WITHOUT((void)event; (void)first; (void)second;);

/*
 * Kernels with an MPU: handler of SVCall for the vector table, instead of the kernel's handler
 * (vPortSVCHandler or SVC_Handler), to which it passes every other system call.
 */
#if TT_FREERTOS_ENABLED
void tt_freertos_svc_handler(void);
#endif

/*
 * Trace an interrupt: call these as the first and the last statement of its handler. From V11 on
 * SysTick calls both, and portYIELD_FROM_ISR() calls the exit: a second exit is ignored, and so is
 * one without an entry. Interrupts only.
 */
TT_FREERTOS_API void tt_freertos_isr_enter(void) TT_FREERTOS_WITHOUT();
TT_FREERTOS_API void tt_freertos_isr_exit(void) TT_FREERTOS_WITHOUT();

/*
 * Trace `count` interrupts from IRQ `first` on without a change of their handlers. The vector table
 * is copied to RAM once, and its entries call the handlers between tt_freertos_isr_enter() and
 * tt_freertos_isr_exit(). Needs TT_FREERTOS_VECTORS, the number of entries of the table including
 * 16 exceptions. Handlers must be functions that return; those that read their EXC_RETURN or stack
 * frame cannot be wrapped. Not from interrupts. Returns 0, or a negative number when the table is
 * too small or the processor cannot move it.
 */
TT_FREERTOS_API int tt_freertos_wrap_vectors(uint32_t first, uint32_t count)
    TT_FREERTOS_WITHOUT((void)first; (void)count; return 0;);

/*
 * Send records until the link is full. For programs without drain task (TT_FREERTOS_DRAIN_TASK 0):
 * call it from vApplicationIdleHook() or the loop of one task, after tt_freertos_start(). Does not
 * block. One task only.
 */
TT_FREERTOS_API void tt_freertos_drain(void) TT_FREERTOS_WITHOUT();

/*
 * Close this core's buffer if the drain has requested it. For several cores without the port's
 * tasks, or without configUSE_CORE_AFFINITY: call it from vApplicationPassiveIdleHook(). A core
 * that switches between tasks does this itself. Any context.
 */
TT_FREERTOS_API void tt_freertos_poll(void) TT_FREERTOS_WITHOUT();

#if TT_FREERTOS_ENABLED

/*
 * The kernel's macros. -------------------------------------------------------------------------
 *
 * They expand in tasks.c, queue.c, event_groups.c, stream_buffer.c and timers.c, where structures
 * and some local variables of these files are visible.
 *
 * uxTaskNumber of a task is TT_FREERTOS_STATE * its state + its number. The state is 0 while the
 * task is ready or runs. The kernel moves tasks to ready lists in many places; the state shows
 * which of these moves end a wait.
 */
#define TT_FREERTOS_STATE_SHIFT 24
#define TT_FREERTOS_NUMBER_MASK 0xffffffu
#define TT_FREERTOS_STATE(tcb)  ((tcb)->uxTaskNumber >> TT_FREERTOS_STATE_SHIFT)
#define TT_FREERTOS_NUMBER(tcb) ((uint32_t)(tcb)->uxTaskNumber & TT_FREERTOS_NUMBER_MASK)
#define TT_FREERTOS_NO_TASK     0xffffffffu

/* Number of cores, the current core, and its task. These are read only while the task cannot move
 * to another core: the kernel's lock is taken, its scheduler is suspended, or an interrupt is
 * served. */
#if defined(configNUMBER_OF_CORES) && configNUMBER_OF_CORES > 1
#define TT_FREERTOS_CORES  configNUMBER_OF_CORES
#define TT_FREERTOS_PLACES 8 /* largest number of cores of a recorder */
#define TT_FREERTOS_CORE() ((uint32_t)portGET_CORE_ID())
#define TT_FREERTOS_SELF   pxCurrentTCBs[portGET_CORE_ID()]
#else
#define TT_FREERTOS_CORES  1
#define TT_FREERTOS_PLACES 1
#define TT_FREERTOS_CORE() 0u
#define TT_FREERTOS_SELF   pxCurrentTCB
#endif

/* Name of the kernel's variable with the idle task, by its major version. */
#define TT_FREERTOS_IDLE_10     xIdleTaskHandle
#define TT_FREERTOS_IDLE_11     xIdleTaskHandles[0]
#define TT_FREERTOS_JOIN_(a, b) a##b
#define TT_FREERTOS_JOIN(a, b)  TT_FREERTOS_JOIN_(a, b)
#define TT_FREERTOS_IDLE        TT_FREERTOS_JOIN(TT_FREERTOS_IDLE_, tskKERNEL_VERSION_MAJOR)

/* State of the task that a core runs; one structure, so that the kernel's code needs one
 * address. */
typedef struct tt_freertos_now {
    volatile uint32_t running; /* task number; TT_FREERTOS_NO_TASK before the first task runs */
    uint32_t intent;           /* TT_THREAD_* state in which it is about to wait; 0: none */
    const void *object;        /* object of that wait, or NULL */
} tt_freertos_now_t;
extern tt_freertos_now_t tt_freertos_now[TT_FREERTOS_PLACES];
#define TT_FREERTOS_NOW tt_freertos_now[TT_FREERTOS_CORE()]

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
void tt_freertos_ready(uint32_t pid, uint32_t number, uint32_t priority);
void tt_freertos_dies(const tt_freertos_task_t *task);
void tt_freertos_left(uint32_t pid, uint32_t number, uint32_t state, uint32_t priority);
void tt_freertos_first(const tt_freertos_task_t *task, const void *idle_tcb);
void tt_freertos_switched(uint32_t previous, uint32_t next);
void tt_freertos_slept(const void *event_list);
void tt_freertos_suspended(const tt_freertos_task_t *task, bool has_core);
void tt_freertos_priority(uint32_t number, uint32_t priority);
void tt_freertos_inherit(uint32_t number, uint32_t priority);
void tt_freertos_restore(uint32_t number, uint32_t priority);
void tt_freertos_tick(uint32_t count);

#if TT_FREERTOS_CORES > 1
/* The idle tasks, one per core, are thread 0. */
#define TT_FREERTOS_NEW_NUMBER(tcb)                                                                \
    (((tcb)->uxTaskAttributes & taskATTRIBUTE_IS_IDLE) != 0u ? 0u : (uint32_t)(tcb)->uxTCBNumber)
/* The task runs, or leaves its core as soon as that is interrupted. */
#define TT_FREERTOS_HAS_CORE(tcb) ((tcb)->xTaskRunState != taskTASK_NOT_RUNNING)
#else
#define TT_FREERTOS_NEW_NUMBER(tcb) ((uint32_t)(tcb)->uxTCBNumber)
#define TT_FREERTOS_HAS_CORE(tcb)   ((tcb) == pxCurrentTCB)
#endif

#define traceTASK_CREATE(tcb)                                                                      \
    do {                                                                                           \
        tt_freertos_created(TT_FREERTOS_TASK(tcb), TT_FREERTOS_NEW_NUMBER(tcb), (tcb)->pcTaskName, \
                            configIDLE_TASK_NAME, xSchedulerRunning != pdFALSE);                   \
        TT_FREERTOS_CREATED_FOR(tcb);                                                              \
    } while (0)
#if TT_FREERTOS_CORES > 1
#define traceTASK_DELETE(tcb)                                                                      \
    do {                                                                                           \
        if (xSchedulerRunning != pdFALSE && TT_FREERTOS_HAS_CORE(tcb)) {                           \
            tt_freertos_dies(TT_FREERTOS_TASK(tcb));                                               \
        } else {                                                                                   \
            tt_freertos_deleted(TT_FREERTOS_TASK(tcb));                                            \
        }                                                                                          \
    } while (0)
#else
#define traceTASK_DELETE(tcb) tt_freertos_deleted(TT_FREERTOS_TASK(tcb))
#endif
#define traceMOVED_TASK_TO_READY_STATE(task)                                                       \
    do {                                                                                           \
        const uint32_t tt_word = (uint32_t)(task)->uxTaskNumber;                                   \
        if (__builtin_expect(tt_word > TT_FREERTOS_NUMBER_MASK, 1)) {                              \
            (task)->uxTaskNumber = tt_word & TT_FREERTOS_NUMBER_MASK;                              \
            tt_freertos_ready(0u, tt_word & TT_FREERTOS_NUMBER_MASK,                               \
                              (uint32_t)(task)->uxPriority);                                       \
        }                                                                                          \
    } while (0)
#define TT_FREERTOS_EVENT_LIST                                                                     \
    ((const void *)listLIST_ITEM_CONTAINER(&TT_FREERTOS_SELF->xEventListItem))
#if TT_FREERTOS_CORES == 1
/* A macro has noted every wait before (tt_freertos_intend()), so all other switches need one test.
 * A task with a note may still be ready, because its object became available meanwhile. */
#define traceTASK_SWITCHED_OUT()                                                                   \
    do {                                                                                           \
        const uint32_t tt_intent = TT_FREERTOS_NOW.intent;                                         \
        if (tt_intent != 0u) {                                                                     \
            TCB_t *const tt_self = pxCurrentTCB;                                                   \
            TT_FREERTOS_NOW.intent = 0;                                                            \
            if (!listIS_CONTAINED_WITHIN(&pxReadyTasksLists[tt_self->uxPriority],                  \
                                         &tt_self->xStateListItem)) {                              \
                const uint32_t tt_number = (uint32_t)tt_self->uxTaskNumber;                        \
                tt_self->uxTaskNumber = tt_number | tt_intent << TT_FREERTOS_STATE_SHIFT;          \
                tt_freertos_left(0u, tt_number, tt_intent, (uint32_t)tt_self->uxPriority);         \
            }                                                                                      \
        }                                                                                          \
    } while (0)
/* The state of the next task is 0. The length of the function's name distinguishes the two callers
 * without code: vTaskStartScheduler() starts the first task, vTaskSwitchContext() the others. */
#define traceTASK_SWITCHED_IN()                                                                    \
    do {                                                                                           \
        if (sizeof __func__ == sizeof "vTaskStartScheduler") {                                     \
            tt_freertos_first(TT_FREERTOS_TASK(pxCurrentTCB), TT_FREERTOS_IDLE);                   \
        } else {                                                                                   \
            const uint32_t tt_before = TT_FREERTOS_NOW.running;                                    \
            const uint32_t tt_next = (uint32_t)pxCurrentTCB->uxTaskNumber;                         \
            if (tt_next != tt_before) {                                                            \
                TT_FREERTOS_NOW.running = tt_next;                                                 \
                tt_freertos_switched(tt_before, tt_next);                                          \
            }                                                                                      \
        }                                                                                          \
    } while (0)
#else
void tt_freertos_leaves(const tt_freertos_task_t *task);
void tt_freertos_comes(const tt_freertos_task_t *task);
#define traceTASK_SWITCHED_OUT()                                                                   \
    do {                                                                                           \
        TCB_t *const tt_self = TT_FREERTOS_SELF;                                                   \
        TT_FREERTOS_PREEMPTION(tt_self, tt_self->uxPriority);                                      \
        if (listIS_CONTAINED_WITHIN(&pxReadyTasksLists[tt_self->uxPriority],                       \
                                    &tt_self->xStateListItem)) {                                   \
            TT_FREERTOS_NOW.intent = 0;                                                            \
        } else {                                                                                   \
            tt_freertos_leaves(TT_FREERTOS_TASK(tt_self));                                         \
        }                                                                                          \
    } while (0)
#define traceTASK_SWITCHED_IN()                                                                    \
    do {                                                                                           \
        tt_freertos_comes(TT_FREERTOS_TASK(TT_FREERTOS_SELF));                                     \
        TT_FREERTOS_PREEMPTION(TT_FREERTOS_SELF, TT_FREERTOS_UNDISTURBED);                         \
    } while (0)
#endif
/* traceTASK_DELAY_UNTIL also expands when the timer task waits for its queue, then with an event
 * list. */
#define traceTASK_DELAY()            tt_freertos_slept(NULL)
#define traceTASK_DELAY_UNTIL(ticks) tt_freertos_slept(TT_FREERTOS_EVENT_LIST)
#define traceTASK_SUSPEND(task)                                                                    \
    tt_freertos_suspended(TT_FREERTOS_TASK(task),                                                  \
                          xSchedulerRunning != pdFALSE && TT_FREERTOS_HAS_CORE(task))

/*
 * Cores that a task may run on (freertos_cores.c). The macros of vTaskCoreAffinitySet() expand
 * outside of the kernel's lock: between its begin and end, the recorded mask contains only cores of
 * both masks.
 */
#if TT_FREERTOS_CORES > 1 && defined(configUSE_CORE_AFFINITY) && configUSE_CORE_AFFINITY == 1
void tt_freertos_cores(uint32_t number, uint32_t cores);
#define TT_FREERTOS_ALL_CORES ((1u << TT_FREERTOS_CORES) - 1u)
#define TT_FREERTOS_CREATED_FOR(tcb)                                                               \
    do {                                                                                           \
        if ((~(tcb)->uxCoreAffinityMask & TT_FREERTOS_ALL_CORES) != 0u) {                          \
            tt_freertos_cores(TT_FREERTOS_NUMBER(tcb), (uint32_t)(tcb)->uxCoreAffinityMask);       \
        }                                                                                          \
    } while (0)
#define TT_FREERTOS_BINDS(task, mask)                                                              \
    do {                                                                                           \
        const TCB_t *const tt_bound = prvGetTCBFromHandle(task);                                   \
        tt_freertos_cores(TT_FREERTOS_NUMBER(tt_bound),                                            \
                          (uint32_t)(tt_bound->uxCoreAffinityMask & (mask)));                      \
    } while (0)
#define traceENTER_vTaskCoreAffinitySet(task, mask) TT_FREERTOS_BINDS(task, mask)
#define traceRETURN_vTaskCoreAffinitySet()                                                         \
    tt_freertos_cores(TT_FREERTOS_NUMBER(pxTCB), (uint32_t)uxCoreAffinityMask)
#else
#define TT_FREERTOS_CREATED_FOR(tcb) (void)0
#endif

/*
 * A task that has disabled its preemption is recorded with the highest priority while it runs, and
 * with its own priority otherwise. The macros of these functions expand outside of the kernel's
 * lock; preemption takes place before vTaskPreemptionEnable() returns.
 */
#if TT_FREERTOS_CORES > 1 && defined(configUSE_TASK_PREEMPTION_DISABLE) &&                         \
    configUSE_TASK_PREEMPTION_DISABLE == 1
#define TT_FREERTOS_UNDISTURBED configMAX_PRIORITIES
#define TT_FREERTOS_PREEMPTION(tcb, priority)                                                      \
    do {                                                                                           \
        if ((tcb)->xPreemptionDisable != pdFALSE && TT_FREERTOS_NUMBER(tcb) != 0u) {               \
            tt_freertos_priority(TT_FREERTOS_NUMBER(tcb), (uint32_t)(priority));                   \
        }                                                                                          \
    } while (0)
/* Record the highest priority again after an event that contains the task's own one. */
#define TT_FREERTOS_STAYS_UNDISTURBED(tcb)                                                         \
    do {                                                                                           \
        if (TT_FREERTOS_HAS_CORE(tcb)) {                                                           \
            TT_FREERTOS_PREEMPTION(tcb, TT_FREERTOS_UNDISTURBED);                                  \
        }                                                                                          \
    } while (0)
#define traceRETURN_vTaskPreemptionDisable()                                                       \
    TT_FREERTOS_LOCKED(TT_FREERTOS_STAYS_UNDISTURBED(pxTCB))
#define traceENTER_vTaskPreemptionEnable(task)                                                     \
    do {                                                                                           \
        if ((task) == NULL) {                                                                      \
            taskENTER_CRITICAL();                                                                  \
            TT_FREERTOS_PREEMPTION(TT_FREERTOS_SELF, TT_FREERTOS_SELF->uxPriority);                \
            taskEXIT_CRITICAL();                                                                   \
        }                                                                                          \
    } while (0)
#define traceRETURN_vTaskPreemptionEnable()                                                        \
    TT_FREERTOS_LOCKED(tt_freertos_priority(TT_FREERTOS_NUMBER(pxTCB), (uint32_t)pxTCB->uxPriority))
#else
#define TT_FREERTOS_PREEMPTION(tcb, priority) (void)0
#define TT_FREERTOS_STAYS_UNDISTURBED(tcb)    (void)0
#endif

/* Whether a task keeps its priority in vTaskPrioritySet(): it keeps an inherited one, from V11 on
 * unless the new one is higher. */
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
            TT_FREERTOS_STAYS_UNDISTURBED(tcb);                                                    \
        }                                                                                          \
    } while (0)
#define traceTASK_PRIORITY_INHERIT(tcb, priority)                                                  \
    do {                                                                                           \
        tt_freertos_inherit(TT_FREERTOS_NUMBER(tcb), (uint32_t)(priority));                        \
        TT_FREERTOS_STAYS_UNDISTURBED(tcb);                                                        \
    } while (0)
#define traceTASK_PRIORITY_DISINHERIT(tcb, priority)                                               \
    do {                                                                                           \
        tt_freertos_restore(TT_FREERTOS_NUMBER(tcb), (uint32_t)(priority));                        \
        TT_FREERTOS_STAYS_UNDISTURBED(tcb);                                                        \
    } while (0)

/* While the scheduler is suspended, the kernel counts ticks elsewhere, and later processes each of
 * them here. */
#define traceTASK_INCREMENT_TICK(count)                                                            \
    do {                                                                                           \
        if (uxSchedulerSuspended == 0u) {                                                          \
            tt_freertos_tick((uint32_t)(count) + 1u);                                              \
        }                                                                                          \
    } while (0)
#define traceINCREASE_TICK_COUNT(ticks) tt_freertos_tick((uint32_t)xTickCount)

#include "freertos_objects.h"

/* The heap: free bytes after each change, and number of refused allocations. */
void tt_freertos_allocated(const void *address);
void tt_freertos_freed(void);

#define traceMALLOC(address, bytes) tt_freertos_allocated(address)
#define traceFREE(address, bytes)   tt_freertos_freed()

/* Tickless idle: xExpectedIdleTime is a variable of the idle task. */
void tt_freertos_sleeps(uint32_t ticks);
void tt_freertos_wakes(void);

#define traceLOW_POWER_IDLE_BEGIN() tt_freertos_sleeps((uint32_t)xExpectedIdleTime)
#define traceLOW_POWER_IDLE_END()   tt_freertos_wakes()

/* Interrupts: from V11 on the kernel's SysTick handler. */
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
