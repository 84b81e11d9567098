/* boards/microbit/handlers.h - functions of the board's files for each other. */
#ifndef MICROBIT_HANDLERS_H
#define MICROBIT_HANDLERS_H

#include "startup.h"
#include "tickertape/api.h"

/* The trace clock starts. */
void clock_start(void);

TT_API void trace_uart_start(void) TT_WITHOUT();
#if TT_CONFIG_ENABLED
void trace_uart_handler(void);
#else
#define trace_uart_handler unexpected_handler
#endif

#endif
