/*
 * The kernel's port to two Cortex-M33: start of both processors, context switch, tick, and the
 * interrupt by which one processor requests a context switch on the other.
 *
 * Loops that wait for the other processor execute YIELD: QEMU with counted instructions runs the
 * processors in turns and switches to the next one at YIELD.
 */
#include <stdbool.h>
#include <stddef.h>

#include "FreeRTOS.h"
#include "task.h"

#if defined(PORT_TRACES_LOCKS)
#include "tickertape/hooks.h"
#endif

#define SYST_CSR        (*(volatile uint32_t *)0xe000e010u)
#define SYST_RVR        (*(volatile uint32_t *)0xe000e014u)
#define SYST_CVR        (*(volatile uint32_t *)0xe000e018u)
#define SHPR3           (*(volatile uint32_t *)0xe000ed20u)
#define NVIC_ISER       (*(volatile uint32_t *)0xe000e100u)
#define NVIC_IPR        ((volatile uint8_t *)0xe000e400u)
#define INITSVTOR1      (*(volatile uint32_t *)0x50021114u)
#define CPUWAIT         (*(volatile uint32_t *)0x50021118u)
#define MHU_SET(core)   (*(volatile uint32_t *)(0x50004004u + 16u * (core)))
#define MHU_CLEAR(core) (*(volatile uint32_t *)(0x50004008u + 16u * (core)))
#define MHU_IRQ         7u
#define LOWEST          0xe0u
#define TABLE_WORDS     64u

typedef void (*handler_t)(void);

/* Vector table of CPU 0, defined by the board. */
extern const uint32_t board_vectors[];

void SVC_Handler(void);
void PendSV_Handler(void);
void SysTick_Handler(void);
void board_core_handler(void);

static struct {
    uint32_t owner; /* core + 1; 0: free */
    uint32_t depth;
} locks[2];
/* Traces the spin locks of the port, with the functions that take them: see docs/freertos.md. */
#if defined(PORT_TRACES_LOCKS)
#define TRACE_LOCK(hook, lock) hook(&locks[lock], (uint32_t)(uintptr_t)__builtin_return_address(0))
#else
#define TRACE_LOCK(hook, lock)
#endif
static volatile bool was_called[2]; /* by core: it has requested a switch of the other core */

void port_lock(uint32_t lock, uint32_t core)
{
    if (__atomic_load_n(&locks[lock].owner, __ATOMIC_RELAXED) != core + 1u) {
        uint32_t expected = 0;
        bool waits = false;
        while (!__atomic_compare_exchange_n(&locks[lock].owner, &expected, core + 1u, false,
                                            __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            if (!waits) {
                waits = true;
                TRACE_LOCK(tt_hook_spin_waits, lock);
            }
            expected = 0;
            __asm volatile("yield" ::: "memory");
        }
        TRACE_LOCK(tt_hook_spin_locked, lock);
    }
    locks[lock].depth++;
}

void port_unlock(uint32_t lock, uint32_t core)
{
    configASSERT(locks[lock].owner == core + 1u && locks[lock].depth > 0u);
    if (--locks[lock].depth == 0u) {
        TRACE_LOCK(tt_hook_spin_unlocked, lock);
        __atomic_store_n(&locks[lock].owner, 0u, __ATOMIC_RELEASE);
        if (was_called[core] && locks[1u - lock].owner != core + 1u) {
            was_called[core] = false;
            __asm volatile("yield" ::: "memory");
        }
    }
}

static void ended(void)
{
    configASSERT(false); /* the function of a task has returned */
}

void SVC_Handler(void)
{
    configASSERT(false);
}

/* Build the stack that PendSV restores: r4 to r11 and EXC_RETURN below the exception frame. */
StackType_t *pxPortInitialiseStack(StackType_t *top, TaskFunction_t function, void *argument)
{
    *--top = 0x01000000u; /* xPSR: Thumb */
    *--top = (StackType_t)function & ~1u;
    *--top = (StackType_t)ended;
    top -= 5; /* r12, r3 to r0 */
    *top = (StackType_t)argument;
    *--top = 0xfffffffdu; /* to a thread on the process stack, Secure, no FPU */
    return top - 8;
}

/* Switch tasks. The process stack pointer is 0 before a core's first task: nothing to store. */
__attribute__((naked)) void PendSV_Handler(void)
{
    __asm volatile("cpsid i\n\t"
                   "ldr r1, =0x5001f000\n\t"
                   "ldr r1, [r1]\n\t"
                   "ldr r2, =pxCurrentTCBs\n\t"
                   "add r2, r2, r1, lsl #2\n\t"
                   "mrs r0, psp\n\t"
                   "cbz r0, 1f\n\t"
                   "stmdb r0!, {r4-r11, lr}\n\t"
                   "ldr r3, [r2]\n\t"
                   "str r0, [r3]\n\t"
                   "1:\n\t"
                   "mov r4, r2\n\t"
                   "mov r0, r1\n\t"
                   "bl vTaskSwitchContext\n\t"
                   "ldr r3, [r4]\n\t"
                   "ldr r0, [r3]\n\t"
                   "ldmia r0!, {r4-r11, lr}\n\t"
                   "msr psp, r0\n\t"
                   "cpsie i\n\t"
                   "bx lr\n\t"
                   ".ltorg");
}

void SysTick_Handler(void)
{
    traceISR_ENTER();
    UBaseType_t before = portENTER_CRITICAL_FROM_ISR();
    BaseType_t is_wanted = xTaskIncrementTick();
    portEXIT_CRITICAL_FROM_ISR(before);
    portYIELD_FROM_ISR(is_wanted);
}

void port_yield_core(uint32_t core)
{
    MHU_SET(core) = 1;
    was_called[portGET_CORE_ID()] = true;
}

void board_core_handler(void)
{
    traceISR_ENTER();
    MHU_CLEAR((uint32_t)portGET_CORE_ID()) = UINT32_MAX;
    portYIELD_FROM_ISR(pdTRUE);
}

static void start_core(void)
{
    portDISABLE_INTERRUPTS();
    SHPR3 = LOWEST << 24 | LOWEST << 16; /* SysTick, PendSV */
    NVIC_IPR[MHU_IRQ] = LOWEST;
    NVIC_ISER = 1u << MHU_IRQ;
    if (portGET_CORE_ID() == configTICK_CORE) {
        SYST_RVR = configCPU_CLOCK_HZ / configTICK_RATE_HZ - 1u;
        SYST_CVR = 0;
        SYST_CSR = 7;
    }
    __asm volatile("msr psp, %0" ::"r"(0));
    port_yield();
    portENABLE_INTERRUPTS();
    for (;;) {
    }
}

static uint32_t table[TABLE_WORDS] __attribute__((aligned(4 * TABLE_WORDS)));
static uint32_t stack[512] __attribute__((aligned(8)));

BaseType_t xPortStartScheduler(void)
{
    for (uint32_t i = 0; i < TABLE_WORDS; i++) {
        table[i] = board_vectors[i];
    }
    table[0] = (uint32_t)&stack[512];
    table[1] = (uint32_t)start_core;
    INITSVTOR1 = (uint32_t)table;
    __asm volatile("dsb" ::: "memory");
    CPUWAIT &= ~2u;
    start_core();
    return pdFALSE;
}

void vPortEndScheduler(void)
{
    configASSERT(false);
}
