/*
 * Kernels with an MPU (ADR 0108). The kernel's macros run privileged and may access the recorder;
 * unprivileged tasks may not. Such a task records an event by a system call with three words in
 * registers. The handler reads the frame that the processor has stored, and no other memory of the
 * task.
 */
#include "freertos_port.h"
#include "tickertape/emitters.h"

#ifndef TT_FREERTOS_SYSTEM_CALL
#define TT_FREERTOS_SYSTEM_CALL 116 /* kernels use 0 to 105 */
#endif

#if TT_FREERTOS_MPU && TT_FREERTOS_SYSTEM_CALL

#define VTOR         (*(volatile uint32_t *)0xe000ed08u)
#define VECTOR_SVC   11u
#define UNPRIVILEGED 1u /* bit of CONTROL in tasks */

#if defined(configCHECK_HANDLER_INSTALLATION) && configCHECK_HANDLER_INSTALLATION == 1
#error                                                                                             \
    "tickertape: set configCHECK_HANDLER_INSTALLATION to 0: the kernel's check refuses tt_freertos_svc_handler"
#endif

#if __ARM_ARCH == 7
#define KERNEL_SVC_HANDLER vPortSVCHandler
#else
#define KERNEL_SVC_HANDLER SVC_Handler
#endif
#define TEXT_OF_(name) #name
#define TEXT_OF(name)  TEXT_OF_(name)

extern void KERNEL_SVC_HANDLER(void);

/* Record the event of a system call. Called by tt_freertos_svc_handler(); the frame begins with r0
 * to r2 of the task. */
void tt_freertos_system_call(const uint32_t *frame) __attribute__((used));

void tt_freertos_system_call(const uint32_t *frame)
{
    tt_emit_user_user(frame[0], frame[1], frame[2]);
}

/* Uses only instructions of every Cortex-M. The kernel's handler gets lr and the stacks unchanged;
 * the frame contains the task's r0 to r3. */
__attribute__((naked)) void tt_freertos_svc_handler(void)
{
    __asm volatile(
        ".syntax unified\n\t"
        "mov r0, lr\n\t"
        "movs r1, #4\n\t"
        "tst r0, r1\n\t"
        "beq 1f\n\t" /* called from main(): the kernel starts its first task */
        "mrs r0, psp\n\t"
        "ldr r1, [r0, #24]\n\t" /* address after the SVC instruction */
        "subs r1, #2\n\t"
        "ldrb r1, [r1]\n\t"
        "cmp r1, %0\n\t"
        "beq 2f\n"
        "1: ldr r0, =" TEXT_OF(KERNEL_SVC_HANDLER) "\n\t"
                                                   "bx r0\n"
                                                   "2: ldr r1, =tt_freertos_system_call\n\t"
                                                   "bx r1\n\t"
                                                   ".ltorg" ::"i"(TT_FREERTOS_SYSTEM_CALL));
}

static bool is_handler_installed(void)
{
    const uint32_t *vectors = (const uint32_t *)(uintptr_t)VTOR;
    return vectors[VECTOR_SVC] == (uint32_t)(uintptr_t)tt_freertos_svc_handler;
}

static bool is_privileged(void)
{
    uint32_t exception;
    uint32_t control;
    __asm volatile("mrs %0, ipsr\n\tmrs %1, control" : "=r"(exception), "=r"(control));
    return exception != 0u || (control & UNPRIVILEGED) == 0u;
}

void tt_freertos_user(uint32_t event, uint32_t first, uint32_t second)
{
    if (is_privileged()) {
        tt_emit_user_user(event, first, second);
        return;
    }
    register uint32_t r0 __asm("r0") = event;
    register uint32_t r1 __asm("r1") = first;
    register uint32_t r2 __asm("r2") = second;
    __asm volatile("svc %0" ::"i"(TT_FREERTOS_SYSTEM_CALL), "r"(r0), "r"(r1), "r"(r2) : "memory");
}

#else

#define is_handler_installed() true

void tt_freertos_user(uint32_t event, uint32_t first, uint32_t second)
{
    tt_emit_user_user(event, first, second);
}

#endif

#if TT_FREERTOS_MPU

#if __ARM_ARCH < 8

/* Memory that unprivileged tasks cannot access. Before Armv8-M, an unprivileged task of
 * xTaskCreate() may write to all other memory. Because it cannot mask interrupts, it could damage
 * rings that lie there. */
#if __ARM_ARCH == 7
#define PRIVILEGED_BEGIN __privileged_data_start__
#define PRIVILEGED_END   __privileged_data_end__
#else
#define PRIVILEGED_BEGIN __privileged_sram_start__
#define PRIVILEGED_END   __privileged_sram_end__
#endif
extern uint32_t PRIVILEGED_BEGIN[];
extern uint32_t PRIVILEGED_END[];

static bool is_kept_from_tasks(const void *data)
{
    uintptr_t address = (uintptr_t)data;
    return address >= (uintptr_t)PRIVILEGED_BEGIN && address < (uintptr_t)PRIVILEGED_END;
}

#else

/* Armv8-M: such a task can access only its stack and its regions. */
#define is_kept_from_tasks(data) true

#endif

bool tt_freertos_is_protected(void)
{
    return is_handler_installed() && is_kept_from_tasks(tt_freertos_now) &&
           is_kept_from_tasks(tt_route);
}

#endif
