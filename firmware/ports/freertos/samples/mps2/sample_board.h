/* sample_board.h - functions of an MPS2 board for the samples. */
#ifndef SAMPLE_BOARD_H
#define SAMPLE_BOARD_H

#include <stdint.h>

#include "FreeRTOS.h"

/* Address and interrupts of UART0, which sends the trace. */
#ifdef SAMPLE_M33
#define BOARD_UART   0x50200000u
#define BOARD_RX_IRQ 32u
#else
#define BOARD_UART   0x40004000u
#define BOARD_RX_IRQ 0u
#endif
#define BOARD_TX_IRQ (BOARD_RX_IRQ + 1u)
extern const tt_freertos_link_t board_trace_link;
void board_start_uart(void);
void board_uart_rx_handler(void);
void board_uart_tx_handler(void);

/* Entry function of the application. */
void application_main(void);

/* Keep the processor busy for `us` microseconds. */
void board_work_us(uint32_t us);

/* Write a text to the console of the emulator. */
void board_print(const char *text);

/* Wait until the trace is sent, and end the program; code 0 means success. Tasks only. */
void board_end(uint32_t code);

void board_failed(const char *file, int line);

/* Interrupt by which cores interrupt each other. */
#define BOARD_CORE_IRQ 7u

/* A spare interrupt for applications: its handler, and how to raise it. */
#define BOARD_SPARE_IRQ 30u
void board_raise_spare_irq(void);
void application_irq_handler(void);

/* A second one, with a higher priority than configMAX_SYSCALL_INTERRUPT_PRIORITY. */
#define BOARD_URGENT_IRQ 31u
void board_raise_urgent_irq(void);
void application_urgent_handler(void);

/* Handler of memory faults, for an application with an MPU. */
void application_fault_handler(void);

#endif
