/* Threads and interrupts on Cortex-M; the switch itself is in switch.c. */
#include "port.h"

#include "domain.h"
#include "kernel_board.h"
#include "scs.h"
#include "work.h"

#define XPSR_THUMB (1u << 24)

/* Words that kernel_port_prepare() lays out: r4-r11, EXC_RETURN, then the exception frame. */
#define SAVED_WORDS 9u
#define FRAME_WORDS 8u

void kernel_port_prepare(kernel_thread_t *thread)
{
    uint32_t *top = (uint32_t *)((uintptr_t)thread->stack + (thread->stack_bytes & ~(size_t)7u));
    uint32_t *frame = top - FRAME_WORDS;
    uint32_t *saved = frame - SAVED_WORDS;
    for (uint32_t i = 0; i < SAVED_WORDS + FRAME_WORDS; i++) {
        saved[i] = 0;
    }
    saved[SAVED_WORDS - 1u] = EXC_RETURN_THREAD;
    if (thread->domain == NULL) {
        frame[0] = (uint32_t)(uintptr_t)thread;
        frame[6] = (uint32_t)(uintptr_t)kernel_thread_main & ~1u;
    } else { /* it cannot read its kernel_thread_t */
        frame[0] = (uint32_t)(uintptr_t)thread->argument;
        frame[5] = (uint32_t)(uintptr_t)kernel_domain_exit;
        frame[6] = (uint32_t)(uintptr_t)thread->entry & ~1u;
    }
    frame[7] = XPSR_THUMB;
    thread->context.sp = saved;
}

/* From the main stack to the stack of the idle thread; kernel_idle() never comes back. */
static _Noreturn void __attribute__((noinline)) enter_idle(uintptr_t stack_top)
{
    __asm volatile("msr psp, %0\n\t"
                   "mov r0, #2\n\t"
                   "msr control, r0\n\t" /* SPSEL */
                   "isb\n\t"
                   "cpsie i\n\t"
                   "b kernel_idle" ::"r"(stack_top)
                   : "r0", "memory");
    __builtin_unreachable();
}

void kernel_port_begin(void)
{
    kernel_work_measure();
}

void kernel_port_start(kernel_thread_t *idle)
{
    kernel_domain_protect();
    SCB_SHPR[SHPR_SVC] = PRIORITY_KERNEL;
    SCB_SHPR[SHPR_PENDSV] = PRIORITY_KERNEL;
    enter_idle((uintptr_t)idle->stack + idle->stack_bytes);
}

void kernel_port_irq_enable(uint32_t irq, kernel_irq_level_t level)
{
    NVIC_IPR[irq] = level == KERNEL_IRQ_LEVEL_KERNEL ? PRIORITY_KERNEL : PRIORITY_DEVICE;
    NVIC_ISER[irq / 32u] = 1u << (irq % 32u);
}

void kernel_irq_handler(void)
{
    uint32_t exception;
    __asm volatile("mrs %0, ipsr" : "=r"(exception));
    kernel_irq_dispatch(exception - FIRST_IRQ_EXCEPTION);
}

/* The kernel call whose exception frame is at `frame`; the number of the call is in r12. */
void kernel_port_call(kernel_word_t *frame);
void kernel_port_call(kernel_word_t *frame)
{
    kernel_thread_self()->context.call_frame = frame;
    kernel_call_handle((uint32_t)frame[4], frame);
}

void __attribute__((naked)) SVC_Handler(void)
{
    __asm volatile("mrs r0, psp\n\t"
                   "b kernel_port_call");
}
