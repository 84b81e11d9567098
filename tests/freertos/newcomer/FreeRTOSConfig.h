/* Configuration of a project without tracing. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#define configCPU_CLOCK_HZ                   25000000u
#define configTICK_RATE_HZ                   1000u
#define configUSE_PREEMPTION                 1
#define configUSE_IDLE_HOOK                  0
#define configUSE_TICK_HOOK                  0
#define configMAX_PRIORITIES                 5
#define configMINIMAL_STACK_SIZE             128
#define configTOTAL_HEAP_SIZE                16384u
#define configUSE_16_BIT_TICKS               0
#define configUSE_MUTEXES                    1
#define configQUEUE_REGISTRY_SIZE            4
#define configUSE_TRACE_FACILITY             0
#define configKERNEL_INTERRUPT_PRIORITY      0xe0
#define configMAX_SYSCALL_INTERRUPT_PRIORITY 0xa0
#define INCLUDE_vTaskDelay                   1

#define vPortSVCHandler     SVC_Handler
#define xPortPendSVHandler  PendSV_Handler
#define xPortSysTickHandler SysTick_Handler

#endif
