/* hardware/uart.h - a stub: the UART of the Pico SDK, as far as links use it. */
#ifndef HARDWARE_UART_H
#define HARDWARE_UART_H

#include <stdbool.h>

typedef struct uart_inst uart_inst_t;
extern uart_inst_t *const uart0;

bool uart_is_readable(uart_inst_t *uart);
bool uart_is_writable(uart_inst_t *uart);
char uart_getc(uart_inst_t *uart);
void uart_putc_raw(uart_inst_t *uart, char byte);
void uart_set_irq_enables(uart_inst_t *uart, bool rx_has_data, bool tx_needs_data);

#endif
