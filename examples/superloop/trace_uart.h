/* trace_uart.h - trace link over UART0, without interrupts: the super loop sends. */
#ifndef TRACE_UART_H
#define TRACE_UART_H

#include <stdbool.h>

#include "tickertape/link.h"

extern const tt_link_t trace_uart;

/* Enable the UART. Call before the link is used. */
void trace_uart_start(void);

/* Send as many bytes as the UART accepts now. Returns true while bytes wait. Call from the super
 * loop. */
bool trace_uart_poll(void);

#endif
