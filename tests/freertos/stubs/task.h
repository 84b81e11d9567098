/* task.h - a stub: the functions that the port calls. */
#ifndef INC_TASK_H
#define INC_TASK_H

#include "FreeRTOS.h"

#ifndef GENERATION
#define GENERATION 11
#endif
#define tskKERNEL_VERSION_MAJOR GENERATION
#define tskIDLE_PRIORITY        ((UBaseType_t)0U)

typedef struct tskTaskControlBlock *TaskHandle_t;
typedef void (*TaskFunction_t)(void *);
typedef enum {
    eRunning = 0,
    eReady,
    eBlocked,
    eSuspended,
    eDeleted,
    eInvalid
} eTaskState;
typedef struct xTASK_STATUS {
    TaskHandle_t xHandle;
    const char *pcTaskName;
    UBaseType_t uxCurrentPriority;
} TaskStatus_t;

UBaseType_t uxTaskGetTaskNumber(TaskHandle_t task);
UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task);
void vTaskGetInfo(TaskHandle_t task, TaskStatus_t *status, BaseType_t with_stack, eTaskState state);
TickType_t xTaskGetTickCount(void);
void vTaskDelay(TickType_t ticks);
uint32_t ulTaskNotifyTake(BaseType_t clear, TickType_t ticks);
void vTaskNotifyGiveFromISR(TaskHandle_t task, BaseType_t *woken);
TaskHandle_t xTaskCreateStatic(TaskFunction_t function, const char *name, uint32_t words,
                               void *argument, UBaseType_t priority, StackType_t *stack,
                               StaticTask_t *tcb);
BaseType_t xTaskCreate(TaskFunction_t function, const char *name, uint32_t words, void *argument,
                       UBaseType_t priority, TaskHandle_t *task);

void vTaskEnterCritical(void);
void vTaskExitCritical(void);
#define taskENTER_CRITICAL() vTaskEnterCritical()
#define taskEXIT_CRITICAL()  vTaskExitCritical()
BaseType_t xTaskNotifyGive(TaskHandle_t task);
void vTaskCoreAffinitySet(TaskHandle_t task, UBaseType_t mask);

#endif
