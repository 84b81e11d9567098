/* boards/mps2/handlers.h - what start-up and vector table take from the board's other files. */
#ifndef MPS2_HANDLERS_H
#define MPS2_HANDLERS_H

void Reset_Handler(void);
void HardFault_Handler(void);
void unexpected_handler(void);

void console_start(void);

void trace_uart_start(void);
void trace_uart_rx_handler(void);
void trace_uart_tx_handler(void);

#endif
