/* FreeRTOS.h - a stub: the types that the port uses, as in kernels for Cortex-M. */
#ifndef INC_FREERTOS_H
#define INC_FREERTOS_H

#include <stddef.h>
#include <stdint.h>

#include "FreeRTOSConfig.h"

typedef long BaseType_t;
typedef unsigned long UBaseType_t;
#if defined(configUSE_16_BIT_TICKS) && configUSE_16_BIT_TICKS == 1
typedef uint16_t TickType_t;
#else
typedef uint32_t TickType_t;
#endif
typedef uint32_t StackType_t;
typedef struct xSTATIC_TCB {
    uint8_t bytes[128];
} StaticTask_t;
typedef struct xSTATIC_LIST {
    void *pointers[5];
} StaticList_t;
typedef struct xSTATIC_QUEUE {
    void *pvDummy1[5];
    StaticList_t xDummy3[2];
} StaticQueue_t;

#if defined(configNUMBER_OF_CORES) && configNUMBER_OF_CORES > 1
extern volatile uint32_t stub_core;
#define portGET_CORE_ID() ((BaseType_t)stub_core)
#endif
#ifndef portPRIVILEGE_BIT
#define portPRIVILEGE_BIT ((UBaseType_t)0)
#endif
#define configASSERT(condition) ((void)(condition))
#define portMAX_DELAY           ((TickType_t)~0u)
#define pdFALSE                 ((BaseType_t)0)
#define pdTRUE                  ((BaseType_t)1)
#define pdPASS                  pdTRUE
#define pdMS_TO_TICKS(ms)       ((TickType_t)(((uint64_t)(ms) * configTICK_RATE_HZ) / 1000u))

#endif
