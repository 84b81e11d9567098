/* boards/microbit/nrf51.h - registers of the nRF51822 (nRF51 Series Reference Manual 3.0). */
#ifndef NRF51_H
#define NRF51_H

#include <stdint.h>

#define NRF51_REGISTER(address) (*(volatile uint32_t *)(address))

#define NRF51_CLOCK_HFCLKSTART NRF51_REGISTER(0x40000000u) /* the crystal: UART rates need it */

#define NRF51_GPIO_OUTSET NRF51_REGISTER(0x50000508u)
#define NRF51_GPIO_DIRSET NRF51_REGISTER(0x50000518u)

#define NRF51_UART_STARTRX  NRF51_REGISTER(0x40002000u)
#define NRF51_UART_STARTTX  NRF51_REGISTER(0x40002008u)
#define NRF51_UART_RXDRDY   NRF51_REGISTER(0x40002108u) /* event: a byte has arrived */
#define NRF51_UART_TXDRDY   NRF51_REGISTER(0x4000211cu) /* event: a byte has been sent */
#define NRF51_UART_INTENSET NRF51_REGISTER(0x40002304u)
#define NRF51_UART_ENABLE   NRF51_REGISTER(0x40002500u)
#define NRF51_UART_PSELTXD  NRF51_REGISTER(0x4000250cu)
#define NRF51_UART_PSELRXD  NRF51_REGISTER(0x40002514u)
#define NRF51_UART_RXD      NRF51_REGISTER(0x40002518u)
#define NRF51_UART_TXD      NRF51_REGISTER(0x4000251cu)
#define NRF51_UART_BAUDRATE NRF51_REGISTER(0x40002524u)
#define NRF51_UART_IRQ      2u

#define NRF51_UART_INT_RXDRDY (1u << 2)
#define NRF51_UART_INT_TXDRDY (1u << 7)
#define NRF51_UART_ENABLED    4u

typedef struct nrf51_timer {
    volatile uint32_t start; /* tasks: write 1 */
    volatile uint32_t stop;
    volatile uint32_t count;
    volatile uint32_t clear;
    uint32_t reserved0[76];
    volatile uint32_t compare[4]; /* events, 0x140 */
    uint32_t reserved1[44];
    volatile uint32_t shorts; /* 0x200 */
    uint32_t reserved2[64];
    volatile uint32_t intenset; /* 0x304 */
    volatile uint32_t intenclr;
    uint32_t reserved3[126];
    volatile uint32_t mode; /* 0x504 */
    volatile uint32_t bitmode;
    uint32_t reserved4;
    volatile uint32_t prescaler; /* 0x510 */
    uint32_t reserved5[11];
    volatile uint32_t cc[4]; /* 0x540 */
} nrf51_timer_t;

#define NRF51_TIMER0 ((nrf51_timer_t *)0x40008000u)
#define NRF51_TIMER1 ((nrf51_timer_t *)0x40009000u)
#define NRF51_TIMER2 ((nrf51_timer_t *)0x4000a000u)

#define NRF51_TIMER_BITMODE_16     0u
#define NRF51_TIMER_BITMODE_32     3u
#define NRF51_TIMER_COMPARE0_CLEAR (1u << 0)
#define NRF51_TIMER_INT_COMPARE0   (1u << 16)

#endif
