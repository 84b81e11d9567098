/*
 * portmacro.h - a port of FreeRTOS V11 to the two Cortex-M33 of an Arm MPS2 board with image AN521,
 * for the tests: FreeRTOS has no port for such a pair. Both processors run in the Secure state,
 * without FPU and MPU. The kernel's two locks are words with atomic access.
 */
#ifndef PORTMACRO_H
#define PORTMACRO_H

#include <stdint.h>

typedef uint32_t StackType_t;
typedef long BaseType_t;
typedef unsigned long UBaseType_t;
typedef uint32_t TickType_t;

#define portSTACK_TYPE                              StackType_t
#define portBASE_TYPE                               BaseType_t
#define portMAX_DELAY                               ((TickType_t)0xffffffffu)
#define portTICK_TYPE_IS_ATOMIC                     1
#define portTICK_PERIOD_MS                          ((TickType_t)1000 / configTICK_RATE_HZ)
#define portSTACK_GROWTH                            (-1)
#define portBYTE_ALIGNMENT                          8
#define portPOINTER_SIZE_TYPE                       uint32_t
#define portDONT_DISCARD                            __attribute__((used))
#define portMEMORY_BARRIER()                        __asm volatile("" ::: "memory")
#define portNOP()                                   __asm volatile("nop")
#define portTASK_FUNCTION_PROTO(function, argument) void function(void *argument)
#define portTASK_FUNCTION(function, argument)       void function(void *argument)

/* At this address each processor reads its own number. */
#define portGET_CORE_ID() ((BaseType_t) * (const volatile uint32_t *)0x5001f000u)

static inline uint32_t port_mask(void)
{
    uint32_t before;
    __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(before)::"memory");
    return before;
}

static inline void port_restore(uint32_t before)
{
    __asm volatile("msr primask, %0" ::"r"(before) : "memory");
}

static inline BaseType_t port_is_in_interrupt(void)
{
    uint32_t exception;
    __asm volatile("mrs %0, ipsr" : "=r"(exception));
    return exception != 0u;
}

#define portSET_INTERRUPT_MASK()                  port_mask()
#define portCLEAR_INTERRUPT_MASK(before)          port_restore((uint32_t)(before))
#define portSET_INTERRUPT_MASK_FROM_ISR()         port_mask()
#define portCLEAR_INTERRUPT_MASK_FROM_ISR(before) port_restore((uint32_t)(before))
#define portDISABLE_INTERRUPTS()                  __asm volatile("cpsid i" ::: "memory")
#define portENABLE_INTERRUPTS()                   __asm volatile("cpsie i\n\tisb" ::: "memory")
#define portCHECK_IF_IN_ISR()                     port_is_in_interrupt()
#define portASSERT_IF_IN_ISR()                    configASSERT(!port_is_in_interrupt())

#define portCRITICAL_NESTING_IN_TCB 1
void vTaskEnterCritical(void);
void vTaskExitCritical(void);
UBaseType_t vTaskEnterCriticalFromISR(void);
void vTaskExitCriticalFromISR(UBaseType_t before);
#define portENTER_CRITICAL()               vTaskEnterCritical()
#define portEXIT_CRITICAL()                vTaskExitCritical()
#define portENTER_CRITICAL_FROM_ISR()      vTaskEnterCriticalFromISR()
#define portEXIT_CRITICAL_FROM_ISR(before) vTaskExitCriticalFromISR(before)

/* Lock 0 is that of tasks, lock 1 that of interrupts. Recursive for the owning core. */
void port_lock(uint32_t lock, uint32_t core);
void port_unlock(uint32_t lock, uint32_t core);
/* V11.0 and V11.1 do not pass the core. */
#define portGET_TASK_LOCK(...)     port_lock(0, (uint32_t)portGET_CORE_ID())
#define portRELEASE_TASK_LOCK(...) port_unlock(0, (uint32_t)portGET_CORE_ID())
#define portGET_ISR_LOCK(...)      port_lock(1, (uint32_t)portGET_CORE_ID())
#define portRELEASE_ISR_LOCK(...)  port_unlock(1, (uint32_t)portGET_CORE_ID())

static inline void port_yield(void)
{
    *(volatile uint32_t *)0xe000ed04u = 1u << 28; /* ICSR.PENDSVSET */
    __asm volatile("dsb\n\tisb" ::: "memory");
}

void port_yield_core(uint32_t core);
#define portYIELD()          port_yield()
#define portYIELD_CORE(core) port_yield_core((uint32_t)(core))
#define portYIELD_FROM_ISR(is_wanted)                                                              \
    do {                                                                                           \
        if ((is_wanted) != 0) {                                                                    \
            traceISR_EXIT_TO_SCHEDULER();                                                          \
            port_yield();                                                                          \
        } else {                                                                                   \
            traceISR_EXIT();                                                                       \
        }                                                                                          \
    } while (0)
#define portEND_SWITCHING_ISR(is_wanted) portYIELD_FROM_ISR(is_wanted)

#endif
