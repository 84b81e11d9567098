/* Device interrupts: their handlers, and the events on entry and exit. */
#include "internal.h"

/* Exception number of IRQ 0 (the processor's own exceptions are 1 to 15). */
#define FIRST_IRQ_EXCEPTION 16u

static struct {
    kernel_irq_handler_t handler;
    void *argument;
} handlers[KERNEL_MAX_IRQS];

int kernel_irq_attach(uint32_t irq, kernel_irq_level_t level, kernel_irq_handler_t handler,
                      void *argument)
{
    if (irq >= KERNEL_MAX_IRQS || handler == NULL) {
        return KERNEL_ERROR_ARGUMENT;
    }
    kernel_port_key_t key = kernel_lock();
    handlers[irq].handler = handler;
    handlers[irq].argument = argument;
    kernel_port_irq_enable(irq, level);
    kernel_unlock(key);
    return KERNEL_OK;
}

/* Trace that an interrupt interrupts a kernel call; only for the first of nested interrupts. */
static void report_interrupted(const kernel_cpu_t *cpu)
{
    const kernel_thread_t *current = cpu->current;
    if (cpu->irq_depth == 0u && current != NULL && current->in_call && current->domain == NULL) {
        tt_hook_call_interrupted(current->call, current->tid, current->priority);
    }
}

void kernel_irq_run(uint32_t exception, kernel_irq_handler_t handler, void *argument)
{
    kernel_cpu_t *cpu = kernel_this_cpu();
    report_interrupted(cpu);
    tt_hook_irq_enter(exception, kernel_thread_number(cpu->current));
    cpu->irq_depth++;
    tt_hook_handler_enter(exception, (uint32_t)(uintptr_t)handler);
    handler(argument);
    tt_hook_handler_exit(exception);
    cpu->irq_depth--;
    bool in_kernel = cpu->irq_depth == 0u && cpu->current != NULL && cpu->current->in_call;
    tt_hook_irq_exit(exception, in_kernel, kernel_thread_number(cpu->current));
}

void kernel_irq_dispatch(uint32_t irq)
{
    if (irq >= KERNEL_MAX_IRQS || handlers[irq].handler == NULL) {
        kernel_panic("interrupt without a handler");
    }
    kernel_irq_run(irq + FIRST_IRQ_EXCEPTION, handlers[irq].handler, handlers[irq].argument);
}
