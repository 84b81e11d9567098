/*
 * The context switch. The exception entry has stacked r0-r3, r12, lr, pc and xPSR and, if the
 * thread used the FPU, reserved room for s0-s15, filled lazily. The code here stacks the other
 * registers. Bit 4 of EXC_RETURN in lr is clear when the frame has FPU registers; storing s16-s31
 * then makes the processor store s0-s15 too.
 *
 * A thread of a domain is checked before its registers are stored (domain.c).
 */
#include "domain.h"
#include "kernel_board.h"
#include "port.h"

/* PendSV_Handler loads both from the start of kernel_thread_t. */
_Static_assert(offsetof(kernel_thread_t, context.sp) == 0u &&
                   offsetof(kernel_thread_t, context.exc_return) == 4u,
               "what a thread goes on with comes first");

/* Store the context of the running thread, which belongs to the core, and return the next
 * thread. */
const kernel_thread_t *kernel_port_exchange(uint32_t *sp, uint32_t exc_return);
const kernel_thread_t *__attribute__((used)) kernel_port_exchange(uint32_t *sp, uint32_t exc_return)
{
    kernel_thread_t *self = kernel_thread_self();
    if ((uintptr_t)sp < (uintptr_t)self->stack) {
        kernel_panic("a thread used more than its stack");
    }
    self->context.sp = sp;
    self->context.exc_return = exc_return;
    const kernel_thread_t *next = kernel_switch(); /* the previous thread may not exist any more */
#if !BASELINE
    if (next->domain != NULL) {
        kernel_domain_enter(next);
    }
#endif
    return next;
}

#if BASELINE

/* stm and ldm take r0-r7 only, and always count up. The order of registers on the stack is the same
 * as on other cores. */
void __attribute__((naked)) PendSV_Handler(void)
{
    __asm volatile("mrs r0, psp\n\t"
                   "subs r0, #32\n\t"
                   "mov r1, r0\n\t"
                   "stmia r1!, {r4-r7}\n\t"
                   "mov r4, r8\n\t"
                   "mov r5, r9\n\t"
                   "mov r6, r10\n\t"
                   "mov r7, r11\n\t"
                   "stmia r1!, {r4-r7}\n\t"
                   "mov r1, lr\n\t"
                   "bl kernel_port_exchange\n\t"
                   "ldr r2, [r0, #4]\n\t"
                   "ldr r0, [r0]\n\t"
                   "mov r1, r0\n\t"
                   "adds r0, #16\n\t"
                   "ldmia r0!, {r4-r7}\n\t"
                   "mov r8, r4\n\t"
                   "mov r9, r5\n\t"
                   "mov r10, r6\n\t"
                   "mov r11, r7\n\t"
                   "msr psp, r0\n\t"
                   "ldmia r1!, {r4-r7}\n\t"
                   "bx r2");
}

#else

/* As kernel_port_exchange(), for a thread of a domain; its EXC_RETURN never changes. */
const kernel_thread_t *kernel_port_exchange_domain(uint32_t *sp);
const kernel_thread_t *__attribute__((used)) kernel_port_exchange_domain(uint32_t *sp)
{
    kernel_thread_self()->context.sp = sp;
    return kernel_domain_enter(kernel_switch());
}

void __attribute__((naked)) PendSV_Handler(void)
{
    __asm volatile("mrs r0, psp\n\t"
                   "mrs r1, control\n\t"
                   "tst r1, #1\n\t"
                   "bne 2f\n\t"
#ifdef __ARM_FP
                   "tst lr, #16\n\t"
                   "it eq\n\t"
                   "vstmdbeq r0!, {s16-s31}\n\t"
#endif
                   "stmdb r0!, {r4-r11}\n\t"
                   "mov r1, lr\n\t"
                   "bl kernel_port_exchange\n\t"
                   "1:\n\t"
                   "ldrd r0, lr, [r0]\n\t"
                   "ldmia r0!, {r4-r11}\n\t"
#ifdef __ARM_FP
                   "tst lr, #16\n\t"
                   "it eq\n\t"
                   "vldmiaeq r0!, {s16-s31}\n\t"
#endif
                   "msr psp, r0\n\t"
                   "bx lr\n\t"
                   "2:\n\t" /* unprivileged */
                   "bl kernel_domain_leave\n\t"
                   "cbz r0, 3f\n\t" /* the thread has ended */
#ifdef __ARM_FP
                   "vstmdb r0!, {s16-s31}\n\t"
#endif
                   "stmdb r0!, {r4-r11}\n\t"
                   "3:\n\t"
                   "bl kernel_port_exchange_domain\n\t"
                   "b 1b");
}

#endif
