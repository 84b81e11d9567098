/* hardware/irq.h - a stub: interrupts of the Pico SDK, as far as links use them. */
#ifndef HARDWARE_IRQ_H
#define HARDWARE_IRQ_H

#include <stdbool.h>

#define UART0_IRQ 20u

typedef void (*irq_handler_t)(void);

void irq_set_exclusive_handler(unsigned number, irq_handler_t handler);
void irq_set_enabled(unsigned number, bool enabled);
void irq_set_pending(unsigned number);

#endif
