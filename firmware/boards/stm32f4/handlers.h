/* boards/stm32f4/handlers.h - functions shared by the board's files. */
#ifndef STM32F4_HANDLERS_H
#define STM32F4_HANDLERS_H

#include <stdint.h>

#include "board_link.h"
#include "startup.h"
#include "tickertape/api.h"

/* Rates of the clocks of the processor, the timers and the USART. Valid after clocks_start(). */
extern uint32_t core_hz;
extern uint32_t timer_hz;
extern uint32_t usart_hz;

/* Start crystal, PLL and trace clock. */
void clocks_start(void);

TT_API void trace_uart_start(void) TT_WITHOUT();
void trace_usart_start(uint32_t cr1); /* part that does not depend on the link */

/* Priority of the trace's interrupt. It is higher than that of interrupts of the kernel, because a
 * lost byte costs a frame. */
#define PRIORITY_TRACE_UART 0x40u

#if TT_CONFIG_ENABLED && BOARD_TRACE_LINK == BOARD_LINK_DMA
void trace_dma_handler(void); /* DMA1 stream 6 */
#define trace_uart_handler unexpected_handler
#elif TT_CONFIG_ENABLED
void trace_uart_handler(void);
#define trace_dma_handler kernel_irq_handler
#else
#define trace_uart_handler unexpected_handler
#define trace_dma_handler  kernel_irq_handler
#endif

#endif
