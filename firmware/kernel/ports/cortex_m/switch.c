/*
 * The context switch. The exception entry has stacked r0-r3, r12, lr, pc and xPSR (and, if the
 * thread used the FPU, reserved room for s0-s15, filled lazily); the rest is stacked here. Bit 4
 * of EXC_RETURN in lr is clear when the frame has FPU registers; storing s16-s31 then makes the
 * processor store s0-s15 as well.
 */
#include "domain.h"
#include "kernel_board.h"
#include "port.h"

/* Take over the stack pointer of the thread that ran and return that of the one that shall run. */
uint32_t *kernel_port_exchange(uint32_t *sp);
uint32_t *kernel_port_exchange(uint32_t *sp)
{
    kernel_thread_t *self = kernel_thread_self();
    if ((uintptr_t)sp < (uintptr_t)self->stack) {
        kernel_panic("a thread used more than its stack");
    }
    self->context.sp = sp;
    bool in_domain = self->domain != NULL;
    const kernel_thread_t *next = kernel_switch(); /* who ran may be no more */
    if (next->domain != NULL || in_domain) {
        kernel_domain_enter(next);
    }
    return next->context.sp;
}

void __attribute__((naked)) PendSV_Handler(void)
{
    __asm volatile("mrs r0, psp\n\t"
                   "mrs r1, control\n\t"
                   "tst r1, #1\n\t"
                   "beq 1f\n\t"
                   "push {r0, lr}\n\t"
                   "bl kernel_domain_stack\n\t"
                   "pop {r1, lr}\n\t"
                   "cmp r0, r1\n\t"
                   "it ne\n\t"
                   "orrne lr, lr, #16\n\t" /* another frame, without the FPU's registers */
                   "1:\n\t"
#ifdef __ARM_FP
                   "tst lr, #16\n\t"
                   "it eq\n\t"
                   "vstmdbeq r0!, {s16-s31}\n\t"
#endif
                   "stmdb r0!, {r4-r11, lr}\n\t"
                   "bl kernel_port_exchange\n\t"
                   "ldmia r0!, {r4-r11, lr}\n\t"
#ifdef __ARM_FP
                   "tst lr, #16\n\t"
                   "it eq\n\t"
                   "vldmiaeq r0!, {s16-s31}\n\t"
#endif
                   "msr psp, r0\n\t"
                   "bx lr");
}
