/* boards/microbit/handlers.h - functions shared by the board's files. */
#ifndef MICROBIT_HANDLERS_H
#define MICROBIT_HANDLERS_H

#include "startup.h"
#include "tickertape/api.h"

/* Start the trace clock. */
void clock_start(void);

TT_API void trace_uart_start(void) TT_WITHOUT();
#if TT_CONFIG_ENABLED
void trace_uart_handler(void);
#else
#define trace_uart_handler unexpected_handler
#endif

#endif
