/*
 * The trace link: USART2, a ring and an interrupt for each direction. trace_dma.c has it with DMA.
 *
 * The interrupt goes past the kernel and is not traced: each byte sent would otherwise make records
 * that have to be sent. It accesses only these rings. QEMU's USART has no transmit interrupt; there
 * the drain sends, which its host never makes wait for long.
 */
#include <stdbool.h>

#include "board.h"
#include "board_link.h"
#include "handlers.h"
#include "ring_link.h"
#include "scs.h"
#include "stm32f4.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

/* PA2 and PA3: alternate function 7. */
#define MODER_PINS   (15u << 4)
#define MODER_USART2 (10u << 4)
#define AFRL_PINS    (255u << 8)
#define AFRL_USART2  (0x77u << 8)

/* Pins and baud rate, then the bits of CR1. */
void trace_usart_start(uint32_t cr1)
{
    STM32_GPIOA_MODER = (STM32_GPIOA_MODER & ~MODER_PINS) | MODER_USART2;
    STM32_GPIOA_AFRL = (STM32_GPIOA_AFRL & ~AFRL_PINS) | AFRL_USART2;
    STM32_USART2->brr = (usart_hz + BOARD_TRACE_BAUD / 2u) / BOARD_TRACE_BAUD;
    STM32_USART2->cr1 = STM32_USART_CR1_UE | STM32_USART_CR1_TE | STM32_USART_CR1_RE | cr1;
}

void tt_port_notify_drain(void)
{
    board_irq_raise(BOARD_DRAIN_IRQ);
}

#if BOARD_TRACE_LINK != BOARD_LINK_DMA

static void send(void);

/* Bytes of the ring to the host, a power of two. When they are nearly all sent the drain is woken,
 * so a larger ring is only needed where threads of a higher priority keep it waiting for long. */
#ifndef TRACE_UART_RING_BYTES
#define TRACE_UART_RING_BYTES BYTE_RING_SIZE(2u * TT_LINK_LEAST_BYTES)
#endif

static uint8_t tx_bytes[TRACE_UART_RING_BYTES];
_Static_assert(sizeof tx_bytes >= TT_LINK_LEAST_BYTES, "a frame fits");
/* The longest command. */
static uint8_t rx_bytes[256];
static ring_link_t uart = {RING_LINK_INIT(uart, tx_bytes, ring_link_get),
                           .rx = BYTE_RING_INIT(rx_bytes), .send = send};
static bool has_interrupt;

void trace_uart_start(void)
{
    trace_usart_start(STM32_USART_CR1_RXNEIE | STM32_USART_CR1_TXEIE);
    /* It has nothing to send, so the interrupt is pending where there is one. */
    has_interrupt = (NVIC_ISPR[STM32_USART2_IRQ / 32u] & (1u << (STM32_USART2_IRQ % 32u))) != 0u;
    nvic_set_priority(STM32_USART2_IRQ, PRIORITY_TRACE_UART);
    NVIC_ISER[STM32_USART2_IRQ / 32u] = 1u << (STM32_USART2_IRQ % 32u);
}

/* Send what the USART accepts at once. False when nothing is left. */
static bool send_some(void)
{
    const uint8_t *bytes;
    uint32_t left = byte_ring_peek(&uart.tx, &bytes);
    uint32_t count = 0;
    while (count < left && (STM32_USART2->sr & STM32_USART_SR_TXE) != 0u) {
        STM32_USART2->dr = bytes[count++];
    }
    byte_ring_skip(&uart.tx, count);
    return left != 0u;
}

/* Wake the drain when it waits for room and three quarters are free: room to begin with a buffer.
 */
static void wake_drain(void)
{
    if (tt_drain_waits() && byte_ring_used(&uart.tx) <= sizeof tx_bytes / 4u) {
        tt_port_notify_drain();
    }
}

/* Bytes have arrived, or the next one can be sent. A byte that the ring has no room for is lost;
 * the CRC of its frame detects that. */
void trace_uart_handler(void)
{
    while ((STM32_USART2->sr & STM32_USART_SR_RXNE) != 0u) {
        uint8_t byte = (uint8_t)STM32_USART2->dr;
        (void)byte_ring_write(&uart.rx, &byte, 1);
    }
    if (has_interrupt && !send_some()) {
        STM32_USART2->cr1 &= ~STM32_USART_CR1_TXEIE;
    }
    wake_drain();
}

/* An interrupt between reading and writing the register may have cleared the bit; it comes once
 * more then, for nothing. */
static void send(void)
{
    if (has_interrupt) {
        STM32_USART2->cr1 |= STM32_USART_CR1_TXEIE;
        return;
    }
    while (send_some()) {
    }
}

#if BOARD_TRACE_LINK == BOARD_LINK_OWN

const tt_link_t *board_trace_link(void)
{
    return &uart.link;
}

bool board_trace_sent(void)
{
    return byte_ring_used(&uart.tx) == 0u && (STM32_USART2->sr & STM32_USART_SR_TC) != 0u;
}

void trace_link_close(void)
{
}

#endif

#endif
