/*
 * boards/mps2/mps2.h - the registers of the board that we use (Arm Application Notes AN385 and
 * AN386; CMSDK Technical Reference Manual for UART and timer).
 */
#ifndef MPS2_H
#define MPS2_H

#include <stdint.h>

/* Clock of the processor and of all peripherals used here. */
#define MPS2_SYSTEM_HZ 25000000u

typedef struct mps2_uart {
    volatile uint32_t data;
    volatile uint32_t state;
    volatile uint32_t ctrl;
    volatile uint32_t int_status; /* write 1 to clear */
    volatile uint32_t baud_divider;
} mps2_uart_t;

#define MPS2_UART0 ((mps2_uart_t *)0x40004000u)
#define MPS2_UART1 ((mps2_uart_t *)0x40005000u)

#define MPS2_UART_STATE_TX_FULL     (1u << 0)
#define MPS2_UART_CTRL_TX_ENABLE    (1u << 0)
#define MPS2_UART_CTRL_RX_ENABLE    (1u << 1)
#define MPS2_UART_CTRL_TX_INTERRUPT (1u << 2)
#define MPS2_UART_CTRL_RX_INTERRUPT (1u << 3)
#define MPS2_UART_INT_TX            (1u << 0)
#define MPS2_UART_INT_RX            (1u << 1)

typedef struct mps2_timer {
    volatile uint32_t ctrl;
    volatile uint32_t value;
    volatile uint32_t reload;
    volatile uint32_t int_clear;
} mps2_timer_t;

#define MPS2_TIMER0 ((mps2_timer_t *)0x40000000u)
#define MPS2_TIMER1 ((mps2_timer_t *)0x40001000u)

#define MPS2_TIMER_CTRL_ENABLE    (1u << 0)
#define MPS2_TIMER_CTRL_INTERRUPT (1u << 3)

/* Device interrupts. */
#define MPS2_UART0_RX_IRQ 0u
#define MPS2_UART0_TX_IRQ 1u
#define MPS2_IRQ_COUNT    32u

#endif
