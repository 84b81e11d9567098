/* trace_uart.h - the trace over UART0, without an interrupt: the super loop sends. */
#ifndef TRACE_UART_H
#define TRACE_UART_H

#include <stdbool.h>

#include "tickertape/link.h"

extern const tt_link_t trace_uart;

/* Switch the UART on. Before the first other call. */
void trace_uart_start(void);

/* Send what the UART takes now; true while bytes wait. From the super loop. */
bool trace_uart_poll(void);

#endif
