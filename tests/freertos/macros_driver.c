/*
 * Calls every trace macro of the port where the names of the kernel are visible, and prints the
 * number of records of each. GENERATION is the kernel's major version.
 */
#define _DEFAULT_SOURCE /* setitimer() */

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "FreeRTOS.h"
#include "task.h"

#include "queue.h"

#include "tickertape/port.h"
#include "tickertape/tickertape.h"

#define configIDLE_TASK_NAME          "IDLE"
#define taskNOTIFICATION_RECEIVED     ((uint8_t)2)
#define listLIST_ITEM_CONTAINER(i)    ((i)->pxContainer)
#define listIS_CONTAINED_WITHIN(l, i) (((i)->pxContainer == (l)) ? pdTRUE : pdFALSE)
#define listLIST_IS_EMPTY(l)          (((l)->uxNumberOfItems == 0) ? pdTRUE : pdFALSE)

#define listGET_HEAD_ENTRY(l)         ((l)->head)
#define listGET_NEXT(i)               ((i)->next)
#define listGET_LIST_ITEM_VALUE(i)    ((i)->value)
#define eventCLEAR_EVENTS_ON_EXIT_BIT 0x01000000u
#define eventWAIT_FOR_ALL_BITS        0x04000000u
#define eventEVENT_BITS_CONTROL_BYTES 0xff000000u

typedef uint32_t EventBits_t;
typedef struct list {
    UBaseType_t uxNumberOfItems;
    struct item *head;
} List_t;
typedef struct item {
    List_t *pxContainer;
    struct item *next;
    EventBits_t value;
} ListItem_t;
typedef struct tskTaskControlBlock {
    ListItem_t xStateListItem;
    ListItem_t xEventListItem;
    UBaseType_t uxPriority;
    char pcTaskName[configMAX_TASK_NAME_LEN];
    UBaseType_t uxTCBNumber;
    UBaseType_t uxTaskNumber;
    UBaseType_t uxBasePriority;
    uint32_t ulNotifiedValue[1];
    uint8_t ucNotifyState[1];
} TCB_t;
typedef struct queue {
    union {
        struct {
            int8_t *pcTail;
            int8_t *pcReadFrom;
        } xQueue;
        struct {
            TaskHandle_t xMutexHolder;
        } xSemaphore;
    } u;
    List_t xTasksWaitingToReceive;
    UBaseType_t uxMessagesWaiting;
    UBaseType_t uxLength;
    uint8_t ucQueueType;
    struct queue *pxQueueSetContainer;
} Queue_t;
typedef struct timer {
    const char *pcTimerName;
    UBaseType_t uxTimerNumber;
} Timer_t;

volatile uint32_t template_clock;

static void count(int unused)
{
    (void)unused;
    template_clock++;
}

/* Make the clock count, which the start checks, or stop it. */
static void run_clock(suseconds_t period_us)
{
    const struct itimerval period = {{0, period_us}, {0, period_us}};
    (void)signal(SIGALRM, count);
    (void)setitimer(ITIMER_REAL, &period, NULL);
}

static List_t pxReadyTasksLists[8];
static List_t waiting;
static TCB_t tasks[3] = {{.uxPriority = 2, .uxBasePriority = 2, .pcTaskName = "self"},
                         {.uxPriority = 1, .uxBasePriority = 1, .pcTaskName = "other"},
                         {.uxPriority = 0, .uxBasePriority = 0, .pcTaskName = "IDLE"}};
static TCB_t *pxCurrentTCB;
static BaseType_t xSchedulerRunning;
static UBaseType_t uxSchedulerSuspended;
static TickType_t xTickCount = 99;
#if GENERATION == 10
static TaskHandle_t xIdleTaskHandle = &tasks[2];
#else
static TaskHandle_t xIdleTaskHandles[1] = {&tasks[2]};
#endif

UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task)
{
    (void)task;
    return 0;
}

UBaseType_t uxTaskGetTaskNumber(TaskHandle_t task)
{
    return task->uxTaskNumber;
}

void vTaskGetInfo(TaskHandle_t task, TaskStatus_t *status, BaseType_t with_stack, eTaskState state)
{
    (void)with_stack;
    (void)state;
    status->uxCurrentPriority = task->uxPriority;
}

TickType_t xTaskGetTickCount(void)
{
    return xTickCount;
}

void vTaskDelay(TickType_t ticks)
{
    (void)ticks;
}

uint32_t ulTaskNotifyTake(BaseType_t clear, TickType_t ticks)
{
    (void)clear;
    (void)ticks;
    return 0;
}

void vTaskNotifyGiveFromISR(TaskHandle_t task, BaseType_t *woken)
{
    (void)task;
    (void)woken;
}

TaskHandle_t xTaskCreateStatic(TaskFunction_t function, const char *name, uint32_t words,
                               void *argument, UBaseType_t priority, StackType_t *stack,
                               StaticTask_t *tcb)
{
    (void)function, (void)name, (void)words, (void)argument, (void)priority, (void)stack;
    return (TaskHandle_t)(void *)tcb;
}

static uint32_t room_bytes(void *context)
{
    (void)context;
    return 1u << 20;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
}

static uint64_t offered(void)
{
    tt_ring_status_t status;
    (void)tt_ring_status(0, 0, &status);
    return status.offered;
}

#define TRY(name, call)                                                                            \
    do {                                                                                           \
        uint64_t before = offered();                                                               \
        call;                                                                                      \
        printf("%s %" PRIu64 "\n", name, offered() - before);                                      \
        while (tt_drain_step()) {                                                                  \
        }                                                                                          \
    } while (0)

static void make(TCB_t *task)
{
    static UBaseType_t count;
    task->uxTCBNumber = ++count;
    task->xStateListItem.pxContainer = &pxReadyTasksLists[task->uxPriority];
    traceTASK_CREATE(task);
}

/* The macro recognises this kernel function by its name. */
static void vTaskStartScheduler(void)
{
    TRY("first", traceTASK_SWITCHED_IN());
}

static void try_tasks(void)
{
    TCB_t *other = &tasks[1];
    TRY("create", make(&tasks[0]));
    TRY("create idle", make(&tasks[2]));
    TRY("ready", traceMOVED_TASK_TO_READY_STATE(&tasks[0]));
    TRY("ready idle", traceMOVED_TASK_TO_READY_STATE(&tasks[2]));
    pxCurrentTCB = &tasks[0];
    xSchedulerRunning = pdTRUE;
    vTaskStartScheduler();
    make(other);
    TRY("ready other", traceMOVED_TASK_TO_READY_STATE(other));
    TRY("ready again", traceMOVED_TASK_TO_READY_STATE(other));
    traceTASK_DELAY();
    TRY("out, ready", traceTASK_SWITCHED_OUT());
    TRY("in again", traceTASK_SWITCHED_IN());
    traceTASK_DELAY();
    pxCurrentTCB->xStateListItem.pxContainer = &waiting;
    TRY("out, waiting", traceTASK_SWITCHED_OUT());
    pxCurrentTCB = other;
    TRY("in", traceTASK_SWITCHED_IN());
    pxCurrentTCB->xEventListItem.pxContainer = &waiting;
    TRY("delay until", traceTASK_DELAY_UNTIL(7));
    StaticQueue_t queue;
    pxCurrentTCB->xEventListItem.pxContainer = (List_t *)(void *)&queue.xDummy3[1];
    TRY("delay until, timer task", traceTASK_DELAY_UNTIL(7));
    TRY("woken", traceMOVED_TASK_TO_READY_STATE(&tasks[0]));
    TRY("suspend", traceTASK_SUSPEND(&tasks[0]));
    TRY("suspend self", traceTASK_SUSPEND(pxCurrentTCB));
    TRY("priority", traceTASK_PRIORITY_SET(other, 3));
    other->uxBasePriority = 0;
    TRY("priority, inherited", traceTASK_PRIORITY_SET(other, 1));
    TRY("priority, higher", traceTASK_PRIORITY_SET(other, 4));
    TRY("inherit", traceTASK_PRIORITY_INHERIT(other, 3));
    TRY("disinherit", traceTASK_PRIORITY_DISINHERIT(other, 1));
    TRY("delete", traceTASK_DELETE(&tasks[0]));
    TRY("tick", traceTASK_INCREMENT_TICK(xTickCount));
    uxSchedulerSuspended = 1;
    TRY("tick, suspended", traceTASK_INCREMENT_TICK(xTickCount));
    xTickCount += 6u;
    TRY("ticks", traceINCREASE_TICK_COUNT(5));
}

static void try_queues(void)
{
    BaseType_t xEntryTimeSet = pdFALSE;
    const void *pvItemToQueue = NULL;
    Queue_t queue = {.ucQueueType = queueQUEUE_TYPE_BASE, .uxLength = 1};
    Queue_t sem = {.ucQueueType = queueQUEUE_TYPE_BINARY_SEMAPHORE, .uxLength = 1};
    Queue_t mutex = {.ucQueueType = queueQUEUE_TYPE_RECURSIVE_MUTEX, .uxLength = 1};
    TRY("mutex, new", traceQUEUE_SEND(&mutex));
    TRY("mutex, taken", traceQUEUE_RECEIVE(&mutex));
    mutex.u.xSemaphore.xMutexHolder = pxCurrentTCB;
    TRY("mutex, given", traceQUEUE_SEND(&mutex));
    TRY("mutex, waits", traceBLOCKING_ON_QUEUE_RECEIVE(&mutex));
    TRY("mutex, tried", traceQUEUE_RECEIVE_FAILED(&mutex));
    TRY("semaphore, given", traceQUEUE_SEND_FROM_ISR(&sem));
    TRY("semaphore, taken", traceQUEUE_RECEIVE_FROM_ISR(&sem));
    TRY("semaphore, waits", traceBLOCKING_ON_QUEUE_RECEIVE(&sem));
    TRY("semaphore, tried", traceQUEUE_RECEIVE_FAILED(&sem));
    TRY("semaphore, full", traceQUEUE_SEND_FAILED(&sem));
    TRY("queue, sent", traceQUEUE_SEND(&queue));
    TRY("queue, received", traceQUEUE_RECEIVE(&queue));
    TRY("queue, waits to send", traceBLOCKING_ON_QUEUE_SEND(&queue));
    TRY("queue, waits to peek", traceBLOCKING_ON_QUEUE_PEEK(&queue));
    TRY("queue, tried", traceQUEUE_RECEIVE_FAILED(&queue));
    xEntryTimeSet = pdTRUE;
    TRY("queue, too late", traceQUEUE_RECEIVE_FAILED(&queue));
    TRY("queue, sent too late", traceQUEUE_SEND_FAILED(&queue));
    TRY("queue, peeked too late", traceQUEUE_PEEK_FAILED(&queue));
    TRY("queue, named", traceQUEUE_REGISTRY_ADD(&queue, "queue"));
    TRY("queue, deleted", traceQUEUE_DELETE(&queue));
}

static void function(void *first, uint32_t second)
{
    (void)first, (void)second;
}

/* The port knows the timer queue after a pended call, or after the timer task waited for it. */
static void try_deferred(void)
{
    struct {
        BaseType_t id;
        void (*function)(void *, uint32_t);
    } message = {-2, function}, command = {1, NULL};
    const void *pvItemToQueue = &message;
    BaseType_t xEntryTimeSet = pdFALSE;
    Queue_t other = {.ucQueueType = queueQUEUE_TYPE_BASE};
    Queue_t timers = {.ucQueueType = queueQUEUE_TYPE_BASE};
    Queue_t *xTimerQueue = &timers;
    tt_freertos_timers(NULL);
    TRY("pend, queue unknown", traceQUEUE_SEND(&timers));
    TRY("pended, queue unknown", tracePEND_FUNC_CALL(function, NULL, 0, pdPASS));
    TRY("pend", traceQUEUE_SEND(&timers));
    TRY("pended", tracePEND_FUNC_CALL(function, NULL, 0, pdPASS));
    TRY("pended from interrupt", tracePEND_FUNC_CALL_FROM_ISR(function, NULL, 0, pdPASS));
    TRY("not pended", tracePEND_FUNC_CALL_FROM_ISR(function, NULL, 0, pdFALSE));
    TRY("pend elsewhere", traceQUEUE_SEND(&other));
    pvItemToQueue = &command;
    TRY("command", traceQUEUE_SEND(&timers));
    timers.u.xQueue.pcReadFrom = (int8_t *)&message;
    TRY("execute", tt_freertos_command_received(&message, false));
    TRY("execute another", traceQUEUE_RECEIVE(&timers));
    TRY("executed", tt_freertos_executed());
    TRY("executed all", traceQUEUE_RECEIVE_FAILED(&timers));
    timers.u.xQueue.pcReadFrom = (int8_t *)&command;
    TRY("command, taken", traceQUEUE_RECEIVE(&timers));
}

static void try_sets(void)
{
    const void *pvItemToQueue = NULL;
    Queue_t set = {.ucQueueType = queueQUEUE_TYPE_BASE, .uxLength = 1};
    Queue_t member = {.ucQueueType = queueQUEUE_TYPE_BINARY_SEMAPHORE, .pxQueueSetContainer = &set};
    TRY("set, member given", traceQUEUE_SEND(&member));
    TRY("set, sent", traceQUEUE_SET_SEND(&set));
}

static BaseType_t prvTestWaitCondition(EventBits_t value, EventBits_t bits, BaseType_t all)
{
    return (all != pdFALSE ? (value & bits) == bits : (value & bits) != 0u) ? pdTRUE : pdFALSE;
}

static void try_flags(void)
{
    struct {
        EventBits_t uxEventBits;
    } group = {0}, *pxEventBits = &group;
    ListItem_t all = {.value = 6u | eventCLEAR_EVENTS_ON_EXIT_BIT | eventWAIT_FOR_ALL_BITS};
    ListItem_t keeps = {.next = &all, .value = 2u};
    List_t list = {.head = &keeps}, *pxList = &list;
    const ListItem_t *const pxListEnd = NULL;
    TickType_t xTicksToWait = 3;
    EventBits_t uxReturn = 1;
    BaseType_t xClearOnExit = pdTRUE, xWaitForAllBits = pdFALSE;
    TRY("flags set", traceEVENT_GROUP_SET_BITS(&group, 2));
    TRY("flags set and cleared", traceEVENT_GROUP_SET_BITS(&group, 6));
    TRY("flags clear", traceEVENT_GROUP_CLEAR_BITS(&group, 1));
    TRY("flags wait", traceEVENT_GROUP_WAIT_BITS_BLOCK(&group, 1));
    TRY("flags sync", traceEVENT_GROUP_SYNC_BLOCK(&group, 1, 2));
    TRY("flags waited", traceEVENT_GROUP_WAIT_BITS_END(&group, 1, pdFALSE));
    TRY("flags too late", traceEVENT_GROUP_SYNC_END(&group, 1, 2, pdTRUE));
    TRY("flags too late, there", traceEVENT_GROUP_WAIT_BITS_END(&group, 1, pdTRUE));
    xTicksToWait = 0;
    TRY("flags tried", traceEVENT_GROUP_WAIT_BITS_END(&group, 1, pdTRUE));
    TRY("flags there", traceEVENT_GROUP_WAIT_BITS_END(&group, 1, pdFALSE));
    TRY("flags met", traceEVENT_GROUP_SYNC_END(&group, 1, 7, pdFALSE));
    TRY("flags met, cleared before", traceEVENT_GROUP_SYNC_END(&group, 1, 6, pdFALSE));
    xClearOnExit = pdFALSE;
    TRY("flags there, kept", traceEVENT_GROUP_WAIT_BITS_END(&group, 1, pdFALSE));
}

static void try_signals(void)
{
    TCB_t *pxTCB = &tasks[1];
    TickType_t xTicksToWait = 3;
    Timer_t timer = {.pcTimerName = "timer"};
    int thing = 0;
    TRY("notify", traceTASK_NOTIFY(0));
    TRY("notify from interrupt", traceTASK_NOTIFY_FROM_ISR(0));
    TRY("give from interrupt", traceTASK_NOTIFY_GIVE_FROM_ISR(0));
    TRY("take, waits", traceTASK_NOTIFY_TAKE_BLOCK(0));
    TRY("take, too late", traceTASK_NOTIFY_TAKE(0));
    pxTCB->ulNotifiedValue[0] = 1;
    TRY("take", traceTASK_NOTIFY_TAKE(0));
    TRY("wait, waits", traceTASK_NOTIFY_WAIT_BLOCK(0));
    TRY("wait, too late", traceTASK_NOTIFY_WAIT(0));
    TRY("stream sent", traceSTREAM_BUFFER_SEND(&thing, 1));
    TRY("stream sent nothing", traceSTREAM_BUFFER_SEND_FROM_ISR(&thing, 0));
    TRY("stream received", traceSTREAM_BUFFER_RECEIVE(&thing, 1));
    TRY("stream received nothing", traceSTREAM_BUFFER_RECEIVE_FROM_ISR(&thing, 0));
    TRY("stream waits", traceBLOCKING_ON_STREAM_BUFFER_RECEIVE(&thing));
    TRY("timer created", traceTIMER_CREATE(&timer));
    TRY("timer expired", traceTIMER_EXPIRED(&timer));
    TRY("timer command", traceTIMER_COMMAND_RECEIVED(&timer, 1, 2));
    TRY("interrupt, exit alone", traceISR_EXIT());
    TRY("interrupt", traceISR_ENTER());
    TRY("interrupt, exit", traceISR_EXIT_TO_SCHEDULER());
}

size_t xPortGetFreeHeapSize(void);
size_t xPortGetFreeHeapSize(void)
{
    return 1000;
}

static void try_others(void)
{
    TickType_t xExpectedIdleTime = 7;
    int thing = 0;
    TRY("allocated", traceMALLOC(&thing, 8));
    TRY("freed", traceFREE(&thing, 8));
    TRY("refused", traceMALLOC(NULL, 8));
    TRY("sleeps", traceLOW_POWER_IDLE_BEGIN());
    TRY("wakes", traceLOW_POWER_IDLE_END());
}

#if TT_FREERTOS_CALLS
#define TRY_CALL(name, ...)                                                                        \
    TRY("enter " #name, traceENTER_##name(__VA_ARGS__));                                           \
    TRY("return " #name, traceRETURN_##name(pdTRUE))
#define TRY_VOID(name, ...)                                                                        \
    TRY("enter " #name, traceENTER_##name(__VA_ARGS__));                                           \
    TRY("return " #name, traceRETURN_##name())

static void try_calls(void)
{
    static Queue_t queues[] = {{.ucQueueType = queueQUEUE_TYPE_BASE},
                               {.ucQueueType = queueQUEUE_TYPE_MUTEX},
                               {.ucQueueType = queueQUEUE_TYPE_COUNTING_SEMAPHORE}};
    TCB_t *task = NULL;
    int thing = 0;
    TRY_CALL(xTaskCreate, try_calls, "a", 1, NULL, 2, NULL);
    TRY("enter xTaskCreateStatic", traceENTER_xTaskCreateStatic(try_calls, "a", 1, NULL, 2, 0, 0));
    TRY("return xTaskCreateStatic", traceRETURN_xTaskCreateStatic(task));
    TRY_VOID(vTaskDelete, task);
    TRY_VOID(vTaskDelay, 3);
    TRY_CALL(xTaskDelayUntil, &thing, 3);
    TRY_VOID(vTaskPrioritySet, task, 3);
    TRY_VOID(vTaskSuspend, task);
    TRY_VOID(vTaskResume, &tasks[1]);
    TRY_CALL(xTaskGenericNotify, &tasks[1], 0, 1, 0, NULL);
    TRY_CALL(ulTaskGenericNotifyTake, 0, pdTRUE, 3);
    TRY_CALL(xTaskGenericNotifyWait, 0, 0, 0, NULL, 3);
    for (int i = 0; i < 3; i++) {
        Queue_t *xQueue = &queues[i];
        TRY_CALL(xQueueGenericSend, xQueue, NULL, 3, 0);
        TRY_CALL(xQueueSemaphoreTake, xQueue, 3);
    }
    Queue_t *xQueue = &queues[0];
    TRY_CALL(xQueueReceive, xQueue, NULL, 3);
    TRY_CALL(xTimerPendFunctionCall, function, NULL, 0, 3);
    TRY("enter xQueueSelectFromSet", traceENTER_xQueueSelectFromSet(xQueue, 3));
    TRY("return xQueueSelectFromSet", traceRETURN_xQueueSelectFromSet(xQueue));
    TRY_CALL(xEventGroupSetBits, &thing, 1);
    TRY_CALL(xEventGroupClearBits, &thing, 1);
    TRY_CALL(xEventGroupWaitBits, &thing, 1, 0, 0, 3);
    TRY_CALL(xEventGroupSync, &thing, 1, 1, 3);
    TRY_CALL(xStreamBufferSend, &thing, NULL, 1, 3);
    TRY_CALL(xStreamBufferReceive, &thing, NULL, 1, 3);
    TRY_CALL(xTimerGenericCommandFromTask, &thing, 1, 2, NULL, 3);
}
#else
static void try_calls(void)
{
}
#endif

int main(void)
{
    const tt_freertos_link_t link = {.room_bytes = room_bytes, .put = put};
    run_clock(100);
    TRY("start", (void)tt_freertos_start("driver", &link));
    run_clock(0);
    try_tasks();
    try_queues();
    try_deferred();
    try_sets();
    try_flags();
    try_signals();
    try_others();
    try_calls();
    return 0;
}
