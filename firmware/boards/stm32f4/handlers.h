/* boards/stm32f4/handlers.h - functions of the board's files for each other. */
#ifndef STM32F4_HANDLERS_H
#define STM32F4_HANDLERS_H

#include <stdint.h>

#include "startup.h"
#include "tickertape/api.h"

/* The processor's clock, and that of the USART. Valid after clocks_start(). */
extern uint32_t core_hz;
extern uint32_t usart_hz;

/* Crystal and PLL, and the trace clock. */
void clocks_start(void);

TT_API void trace_uart_start(void) TT_WITHOUT();
#if TT_CONFIG_ENABLED
void trace_uart_handler(void);
#else
#define trace_uart_handler unexpected_handler
#endif

#endif
