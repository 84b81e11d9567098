/*
 * The context switch. The exception entry has stacked r0-r3, r12, lr, pc and xPSR (and, if the
 * thread used the FPU, reserved room for s0-s15, filled lazily); the rest is stacked here. Bit 4
 * of EXC_RETURN in lr is clear when the frame has FPU registers; storing s16-s31 then makes the
 * processor store s0-s15 as well.
 *
 * A thread of a domain is looked at before its registers are stored (domain.c).
 */
#include "domain.h"
#include "kernel_board.h"
#include "port.h"

/* PendSV_Handler loads both from a thread's begin. */
_Static_assert(offsetof(kernel_thread_t, context.sp) == 0u &&
                   offsetof(kernel_thread_t, context.exc_return) == 4u,
               "what a thread goes on with comes first");

/* Take over the context of the core's thread that ran and return the thread that shall run. */
const kernel_thread_t *kernel_port_exchange(uint32_t *sp, uint32_t exc_return);
const kernel_thread_t *kernel_port_exchange(uint32_t *sp, uint32_t exc_return)
{
    kernel_thread_t *self = kernel_thread_self();
    if ((uintptr_t)sp < (uintptr_t)self->stack) {
        kernel_panic("a thread used more than its stack");
    }
    self->context.sp = sp;
    self->context.exc_return = exc_return;
    const kernel_thread_t *next = kernel_switch(); /* who ran may be no more */
    return next->domain == NULL ? next : kernel_domain_enter(next);
}

/* The same for a thread of a domain, whose EXC_RETURN is always the same. */
const kernel_thread_t *kernel_port_exchange_domain(uint32_t *sp);
const kernel_thread_t *kernel_port_exchange_domain(uint32_t *sp)
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
                   "cbz r0, 3f\n\t" /* it has ended */
#ifdef __ARM_FP
                   "vstmdb r0!, {s16-s31}\n\t"
#endif
                   "stmdb r0!, {r4-r11}\n\t"
                   "3:\n\t"
                   "bl kernel_port_exchange_domain\n\t"
                   "b 1b");
}
