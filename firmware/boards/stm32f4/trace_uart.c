/*
 * Trace link over USART2: a ring for each direction and one interrupt. trace_dma.c is the version
 * with DMA.
 *
 * The interrupt bypasses the kernel and is not traced: otherwise each byte sent would make records
 * that have to be sent. It accesses only these rings. QEMU's USART has no transmit interrupt; there
 * the drain sends, and never waits for long.
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
#include "uart_link.h"

/* PA2 and PA3: alternate function 7. */
#define MODER_PINS   (15u << 4)
#define MODER_USART2 (10u << 4)
#define AFRL_PINS    (255u << 8)
#define AFRL_USART2  (0x77u << 8)

/* Set pins, baud rate and the bits `cr1` of CR1. */
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

/* Bytes of the ring to the host, a power of two. The drain is woken when most of them are sent, so
 * a larger ring is needed only if threads of higher priority delay the drain for long. */
#ifndef TRACE_UART_RING_BYTES
#define TRACE_UART_RING_BYTES BYTE_RING_SIZE(2u * TT_LINK_LEAST_BYTES)
#endif

static uint8_t tx_bytes[TRACE_UART_RING_BYTES];
_Static_assert(sizeof tx_bytes >= TT_LINK_LEAST_BYTES, "a frame fits");
/* Fits the longest command. */
static uint8_t rx_bytes[256];
static ring_link_t uart = {RING_LINK_INIT(uart, tx_bytes, ring_link_get),
                           .rx = BYTE_RING_INIT(rx_bytes), .send = send};
static bool has_interrupt;

void trace_uart_start(void)
{
    trace_usart_start(STM32_USART_CR1_RXNEIE | STM32_USART_CR1_TXEIE);
    /* Nothing is being sent, so the transmit interrupt is pending now if it exists. */
    has_interrupt = (NVIC_ISPR[STM32_USART2_IRQ / 32u] & (1u << (STM32_USART2_IRQ % 32u))) != 0u;
    nvic_set_priority(STM32_USART2_IRQ, PRIORITY_TRACE_UART);
    NVIC_ISER[STM32_USART2_IRQ / 32u] = 1u << (STM32_USART2_IRQ % 32u);
}

static uint32_t state(void)
{
    uint32_t sr = STM32_USART2->sr;
    return ((sr & STM32_USART_SR_RXNE) != 0u ? UART_LINK_RECEIVED : 0u) |
           ((sr & STM32_USART_SR_TXE) != 0u ? UART_LINK_ROOM : 0u) |
           ((sr & STM32_USART_SR_ERRORS) != 0u ? UART_LINK_ERROR : 0u);
}

static uint8_t read_byte(void)
{
    return (uint8_t)STM32_USART2->dr;
}

static void write_byte(uint8_t byte)
{
    STM32_USART2->dr = byte;
}

/* If the interrupt clears the bit between the read and the write of the register by the drain, the
 * write sets it again; the extra interrupt does no harm. */
static void interrupt_when_room(bool enable)
{
    uint32_t others = STM32_USART2->cr1 & ~STM32_USART_CR1_TXEIE;
    STM32_USART2->cr1 = others | (enable ? STM32_USART_CR1_TXEIE : 0u);
}

static const uart_link_registers_t registers = {.state = state,
                                                .read = read_byte,
                                                .write = write_byte,
                                                .interrupt_when_room = interrupt_when_room};

/* Wake the drain if it waits for room and three quarters of the ring are free. */
static void wake_drain(void)
{
    if (tt_drain_waits() && byte_ring_used(&uart.tx) <= sizeof tx_bytes / 4u) {
        tt_port_notify_drain();
    }
}

/* Interrupt of the USART: bytes have arrived, an error occurred, or the next byte can be sent. */
void trace_uart_handler(void)
{
    if (has_interrupt) {
        uart_link_serve(&registers, &uart.rx, &uart.tx);
    } else {
        uart_link_receive(&registers, &uart.rx);
    }
    wake_drain();
}

static void send(void)
{
    if (has_interrupt) {
        interrupt_when_room(true);
        return;
    }
    while (uart_link_send(&registers, &uart.tx)) {
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
