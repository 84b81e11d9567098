/* Settings of the stub kernel; tests leave some of them out. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#define configCPU_CLOCK_HZ       1000000u
#define configTICK_RATE_HZ       1000u
#define configMAX_TASK_NAME_LEN  16
#define configMINIMAL_STACK_SIZE 128
#define configUSE_MUTEXES        1
#define configUSE_TIMERS         1
#ifndef configSUPPORT_STATIC_ALLOCATION
#define configSUPPORT_STATIC_ALLOCATION 1
#endif
#define INCLUDE_xTimerPendFunctionCall      1
#define INCLUDE_uxTaskGetStackHighWaterMark 1
#ifndef configUSE_QUEUE_SETS
#define configUSE_QUEUE_SETS 1
#endif
#ifndef WITHOUT_TRACE_FACILITY
#define configUSE_TRACE_FACILITY 1
#endif

#include "tickertape_freertos.h"

#endif
