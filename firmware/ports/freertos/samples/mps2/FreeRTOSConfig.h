/* Configuration of the samples on Arm MPS2 boards in QEMU; the last line includes tickertape. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#ifdef SAMPLE_CORES
#define configNUMBER_OF_CORES       SAMPLE_CORES
#define configTICK_CORE             0
#define configUSE_PASSIVE_IDLE_HOOK 1
#ifndef configRUN_MULTIPLE_PRIORITIES
#define configRUN_MULTIPLE_PRIORITIES 1
#endif
#define configUSE_TASK_PREEMPTION_DISABLE configRUN_MULTIPLE_PRIORITIES
#ifndef configUSE_CORE_AFFINITY
#define configUSE_CORE_AFFINITY 1
#endif
#ifndef configUSE_IDLE_HOOK
#define configUSE_IDLE_HOOK 1
#endif
#endif

#ifdef SAMPLE_M33
#define configCPU_CLOCK_HZ                      20000000u
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 0 /* V10.4 does not support it on Cortex-M33 */
#else
#define configCPU_CLOCK_HZ                      25000000u
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 1
#endif
#define configTICK_RATE_HZ               1000u
#define configUSE_16_BIT_TICKS           0
#define configSTACK_DEPTH_TYPE           uint32_t
#define configUSE_PREEMPTION             1
#define configMAX_PRIORITIES             8
#define configMINIMAL_STACK_SIZE         256
#define configMAX_TASK_NAME_LEN          16
#define configTOTAL_HEAP_SIZE            (64u * 1024u)
#define configSUPPORT_STATIC_ALLOCATION  1
#define configSUPPORT_DYNAMIC_ALLOCATION 1
#ifndef configUSE_IDLE_HOOK
#define configUSE_IDLE_HOOK 0
#endif
#define configUSE_TICK_HOOK            0
#define configUSE_MUTEXES              1
#define configUSE_RECURSIVE_MUTEXES    1
#define configUSE_COUNTING_SEMAPHORES  1
#define configUSE_QUEUE_SETS           1
#define configUSE_TASK_NOTIFICATIONS   1
#define configUSE_TIMERS               1
#define configTIMER_TASK_PRIORITY      6
#define configTIMER_QUEUE_LENGTH       8
#define configTIMER_TASK_STACK_DEPTH   256
#define configQUEUE_REGISTRY_SIZE      16
#define configUSE_TRACE_FACILITY       1
#define configCHECK_FOR_STACK_OVERFLOW 0
#define configENABLE_FPU               1
#ifndef configGENERATE_RUN_TIME_STATS
#define configGENERATE_RUN_TIME_STATS 0
#endif
#define portCONFIGURE_TIMER_FOR_RUN_TIME_STATS() (void)0
#define portGET_RUN_TIME_COUNTER_VALUE() (*(const volatile uint32_t *)TT_PORT_CLOCK_REGISTER)
#ifdef SAMPLE_MPU
#define configENABLE_MPU 1
#ifdef SAMPLE_M33
#define configTOTAL_MPU_REGIONS 16
#else
#define configTOTAL_MPU_REGIONS 8
#endif
/* tt_freertos_svc_handler() calls the kernel's handler. */
#define configCHECK_HANDLER_INSTALLATION            0
#define configENFORCE_SYSTEM_CALLS_FROM_KERNEL_ONLY 1
#define configUSE_MPU_WRAPPERS_V1                   0
#define configPROTECTED_KERNEL_OBJECT_POOL_SIZE     32
#define configSYSTEM_CALL_STACK_SIZE                256
#define configALLOW_UNPRIVILEGED_CRITICAL_SECTIONS  0
#else
#define configENABLE_MPU 0
#endif
#define configENABLE_TRUSTZONE         0
#define configRUN_FREERTOS_SECURE_ONLY 1

#define configKERNEL_INTERRUPT_PRIORITY      0xe0
#define configMAX_SYSCALL_INTERRUPT_PRIORITY 0xa0

#define INCLUDE_vTaskPrioritySet            1
#define INCLUDE_uxTaskPriorityGet           1
#define INCLUDE_vTaskDelete                 1
#define INCLUDE_uxTaskGetStackHighWaterMark 1
#define INCLUDE_vTaskSuspend                1
#define INCLUDE_xTaskDelayUntil             1
#define INCLUDE_vTaskDelay                  1
#define INCLUDE_xTaskAbortDelay             1
#define INCLUDE_xSemaphoreGetMutexHolder    1
#define INCLUDE_xTimerPendFunctionCall      1

#define vPortSVCHandler     SVC_Handler
#define xPortPendSVHandler  PendSV_Handler
#define xPortSysTickHandler SysTick_Handler

#ifndef __ASSEMBLER__
void board_failed(const char *file, int line);
#define configASSERT(condition)                                                                    \
    if (!(condition)) {                                                                            \
        board_failed(__FILE__, __LINE__);                                                          \
    }
#endif

#include "tickertape_freertos.h"

#endif
