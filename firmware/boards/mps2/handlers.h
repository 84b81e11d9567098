/* boards/mps2/handlers.h - functions shared by the board's files: start of devices, and interrupt
 * handlers for the vector table. */
#ifndef MPS2_HANDLERS_H
#define MPS2_HANDLERS_H

#include <stdbool.h>
#include <stdint.h>

#include "mps2.h"
#include "startup.h"
#include "tickertape/api.h"
#include "tickertape/link.h"

typedef VECTOR_TABLE(MPS2_IRQ_COUNT) vector_table_t;

/* The vector table of CPU 0. */
extern const vector_table_t mps2_vectors;

void console_start(void);

/* The link over UART0, and whether it has sent everything. */
const tt_link_t *trace_uart_link(void);
bool trace_uart_sent(void);

TT_API void trace_uart_start(void) TT_WITHOUT();
#if TT_CONFIG_ENABLED
void trace_uart_rx_handler(void);
void trace_uart_tx_handler(void);
#else
#define trace_uart_rx_handler unexpected_handler
#define trace_uart_tx_handler unexpected_handler
#endif

/* Raise the transmit interrupt on the CPU that serves it. On any CPU. */
void trace_uart_raise_tx(void);

#if MPS2_AN521
/* Interrupt handler: CPU 1 has work for the drain or for the link. */
void mhu_handler(void);
void mhu_start(void);
#endif

#endif
