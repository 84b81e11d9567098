/* Threads and interrupts on Cortex-M; the context switch is in switch.c. */
#include "port.h"

#include "domain.h"
#include "kernel_board.h"
#include "scs.h"
#include "work.h"

#define XPSR_THUMB (1u << 24)

/* Words below the exception frame: r4-r11, in a domain also s16-s31. */
#define SAVED_WORDS 8u

/* Words of the exception frame: r0 to xPSR; with FPU also s0-s15, FPSCR and an unused word. */
#define FRAME_WORDS     8u
#define FPU_FRAME_WORDS 26u
#define FPU_SAVED_WORDS 24u

void kernel_port_prepare(kernel_thread_t *thread)
{
    bool has_fpu = thread->domain != NULL && (EXC_RETURN_DOMAIN & EXC_RETURN_BASIC) == 0u;
    uint32_t *top = (uint32_t *)((uintptr_t)thread->stack + (thread->stack_bytes & ~(size_t)7u));
    uint32_t *frame = top - (has_fpu ? FPU_FRAME_WORDS : FRAME_WORDS);
    uint32_t *saved = frame - (has_fpu ? FPU_SAVED_WORDS : SAVED_WORDS);
    for (uint32_t *word = saved; word < top; word++) {
        *word = 0;
    }
    thread->context.exc_return = EXC_RETURN_THREAD;
    if (thread->domain == NULL) {
        frame[0] = (uint32_t)(uintptr_t)thread;
        frame[6] = (uint32_t)(uintptr_t)kernel_thread_main & ~1u;
    } else { /* a thread of a domain cannot read its kernel_thread_t */
        thread->context.exc_return = EXC_RETURN_DOMAIN;
        frame[0] = (uint32_t)(uintptr_t)thread->argument;
        frame[5] = (uint32_t)(uintptr_t)kernel_domain_exit;
        frame[6] = (uint32_t)(uintptr_t)thread->entry & ~1u;
    }
    frame[7] = XPSR_THUMB;
    thread->context.sp = saved;
}

/* The stack belongs to the caller, so nothing is freed. */
void kernel_port_forget(kernel_thread_t *thread)
{
    (void)thread;
}

/* Change from the main stack to the stack of the idle thread; kernel_idle() never returns. */
static _Noreturn void __attribute__((noinline)) enter_idle(uintptr_t stack_top)
{
    __asm volatile("msr psp, %0\n\t"
                   "movs r0, #2\n\t"
                   "msr control, r0\n\t" /* SPSEL */
                   "isb\n\t"
                   "cpsie i\n\t"
                   "bl kernel_idle" ::"r"(stack_top)
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
    scb_set_priority(EXCEPTION_SVC, PRIORITY_KERNEL);
    scb_set_priority(EXCEPTION_PENDSV, PRIORITY_KERNEL);
    enter_idle((uintptr_t)idle->stack + idle->stack_bytes);
}

void kernel_port_irq_enable(uint32_t irq, kernel_irq_level_t level)
{
    nvic_set_priority(irq, level == KERNEL_IRQ_LEVEL_KERNEL ? PRIORITY_KERNEL : PRIORITY_DEVICE);
    NVIC_ISER[irq / 32u] = 1u << (irq % 32u);
}

void kernel_irq_handler(void)
{
    uint32_t exception;
    __asm volatile("mrs %0, ipsr" : "=r"(exception));
    kernel_irq_dispatch(exception - FIRST_IRQ_EXCEPTION);
}

/* Execute the kernel call whose exception frame is at `frame`; r12 is the number of the call. */
void kernel_port_call(kernel_word_t *frame);
void __attribute__((used)) kernel_port_call(kernel_word_t *frame)
{
    kernel_thread_t *self = kernel_thread_self();
#if !BASELINE
    if (self->domain != NULL && !kernel_domain_goes_on(self, (const uint32_t *)frame)) {
        kernel_domain_stop(self, (const uint32_t *)frame);
        return;
    }
#endif
    self->context.call_frame = frame;
    kernel_call_handle((uint32_t)frame[4], frame);
}

void __attribute__((naked)) SVC_Handler(void)
{
    __asm volatile("mrs r0, psp\n\t"
                   "ldr r1, 1f\n\t"
                   "bx r1\n\t" /* may be out of range of a branch */
                   ".balign 4\n\t"
                   "1: .word kernel_port_call");
}
