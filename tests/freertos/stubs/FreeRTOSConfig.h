/* Settings of the stub kernel; tests leave some of them out. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#define configCPU_CLOCK_HZ              1000000u
#define configTICK_RATE_HZ              1000u
#define configMAX_TASK_NAME_LEN         16
#define configUSE_MUTEXES               1
#define configSUPPORT_STATIC_ALLOCATION 1
#ifndef WITHOUT_TRACE_FACILITY
#define configUSE_TRACE_FACILITY 1
#endif

#include "tickertape_freertos.h"

#endif
