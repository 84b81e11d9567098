/* Device interrupts: who serves them, traced on entry and exit. */
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
    kernel_port_key_t key = kernel_port_lock();
    handlers[irq].handler = handler;
    handlers[irq].argument = argument;
    kernel_port_irq_enable(irq, level);
    kernel_port_unlock(key);
    return KERNEL_OK;
}

void kernel_irq_run(uint32_t exception, kernel_irq_handler_t handler, void *argument)
{
    tt_hook_irq_enter(exception, kernel_thread_number(kernel_thread_self()));
    handler(argument);
    tt_hook_irq_exit(exception, kernel_thread_number(kernel_thread_self()));
}

void kernel_irq_dispatch(uint32_t irq)
{
    if (irq >= KERNEL_MAX_IRQS || handlers[irq].handler == NULL) {
        kernel_panic("an interrupt came that nobody serves");
    }
    kernel_irq_run(irq + FIRST_IRQ_EXCEPTION, handlers[irq].handler, handlers[irq].argument);
}
