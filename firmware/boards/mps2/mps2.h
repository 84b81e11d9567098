/*
 * boards/mps2/mps2.h - registers of the board (Arm Application Notes AN385, AN386, AN521 and AN547;
 * CMSDK Technical Reference Manual for the UART; SSE-200 Technical Reference Manual for the parts
 * shared by the two processors of AN521). With AN505, AN521 and AN547 everything runs in the Secure
 * state, so these are the Secure aliases.
 */
#ifndef MPS2_H
#define MPS2_H

#include <stdint.h>

#include "board_config.h"

#if MPS2_AN547
#define MPS2_FPGA 0x59303000u
#elif MPS2_M33
#define MPS2_PERIPHERALS 0x50000000u
#define MPS2_FPGA        0x50200000u
#else
#define MPS2_PERIPHERALS 0x40000000u
#define MPS2_FPGA        0x40004000u
#endif

/* Clock of the processors and of all peripherals used here. */
#define MPS2_SYSTEM_HZ BOARD_CLOCK_HZ

typedef struct mps2_uart {
    volatile uint32_t data;
    volatile uint32_t state;
    volatile uint32_t ctrl;
    volatile uint32_t int_status; /* write 1 to clear */
    volatile uint32_t baud_divider;
} mps2_uart_t;

#define MPS2_UART0 ((mps2_uart_t *)MPS2_FPGA)
#define MPS2_UART1 ((mps2_uart_t *)(MPS2_FPGA + 0x1000u))

#define MPS2_UART_STATE_TX_FULL     (1u << 0)
#define MPS2_UART_STATE_RX_FULL     (1u << 1)
#define MPS2_UART_CTRL_TX_ENABLE    (1u << 0)
#define MPS2_UART_CTRL_RX_ENABLE    (1u << 1)
#define MPS2_UART_CTRL_TX_INTERRUPT (1u << 2)
#define MPS2_UART_CTRL_RX_INTERRUPT (1u << 3)
#define MPS2_UART_INT_TX            (1u << 0)
#define MPS2_UART_INT_RX            (1u << 1)

#if MPS2_AN521
/* Message handling units: a word for each processor. While it is not 0, interrupt MPS2_MHU0_IRQ or
 * MPS2_MHU1_IRQ is pending on that processor. */
typedef struct mps2_mhu {
    struct {
        volatile uint32_t status;
        volatile uint32_t set;
        volatile uint32_t clear;
        uint32_t reserved;
    } cpus[2];
} mps2_mhu_t;

#define MPS2_MHU0 ((mps2_mhu_t *)0x50003000u) /* requests to CPU 0 */
#define MPS2_MHU1 ((mps2_mhu_t *)0x50004000u) /* used by the kernel */

/* Address of CPU 1's vector table at reset, and the processors that wait: bit n for CPU n. */
#define MPS2_INITSVTOR1 (*(volatile uint32_t *)0x50021114u)
#define MPS2_CPUWAIT    (*(volatile uint32_t *)0x50021118u)
#endif

/* Device interrupts. The vector table ends with the last one that is used. */
#if MPS2_AN547
#define MPS2_UART0_RX_IRQ 33u
#define MPS2_UART0_TX_IRQ 34u
#define MPS2_IRQ_COUNT    35u
#elif MPS2_M33
#define MPS2_MHU0_IRQ     6u
#define MPS2_MHU1_IRQ     7u
#define MPS2_UART0_RX_IRQ 32u
#define MPS2_UART0_TX_IRQ 33u
#define MPS2_IRQ_COUNT    34u
#else
#define MPS2_UART0_RX_IRQ 0u
#define MPS2_UART0_TX_IRQ 1u
#define MPS2_IRQ_COUNT    32u
#endif

#endif
