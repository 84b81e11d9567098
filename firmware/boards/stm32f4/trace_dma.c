/*
 * Trace link over USART2 with DMA: a ring for each direction. The controller sends up to a quarter
 * of the ring per interrupt. It stores received bytes in the ring, which the drain polls, so
 * receiving needs no interrupt. Both rings are in SRAM, because the controller cannot access CCM.
 *
 * A transfer is active while `sending` is not 0. A transfer is started by the drain while none is
 * active, or by the interrupt at the end of one, which occurs only if one is active.
 */
#include <stdatomic.h>
#include <stdbool.h>

#include "board.h"
#include "board_link.h"
#include "handlers.h"
#include "ring_link.h"
#include "scs.h"
#include "stm32f4.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

#if BOARD_TRACE_LINK == BOARD_LINK_DMA

static void send(void);
static void receive(void);

#ifndef TRACE_UART_RING_BYTES
#define TRACE_UART_RING_BYTES BYTE_RING_SIZE(2u * TT_LINK_LEAST_BYTES)
#endif

static uint8_t tx_bytes[TRACE_UART_RING_BYTES];
_Static_assert(sizeof tx_bytes >= TT_LINK_LEAST_BYTES, "a frame fits");
/* More than the longest command needs. */
static uint8_t rx_bytes[256];
static ring_link_t uart = {RING_LINK_INIT(uart, tx_bytes, ring_link_get),
                           .rx = BYTE_RING_INIT(rx_bytes), .send = send, .receive = receive};

/* Maximum bytes of one transfer: the drain is woken while the last quarter is being sent. */
#define TRANSFER_BYTES (sizeof tx_bytes / 4u)
_Static_assert(TRANSFER_BYTES <= 65535u, "the length of a transfer has 16 bits");

#define TX (&STM32_DMA1->streams[STM32_DMA_USART2_TX])
#define RX (&STM32_DMA1->streams[STM32_DMA_USART2_RX])
#define TX_CR                                                                                      \
    (STM32_DMA_USART2_CHANNEL | STM32_DMA_CR_TO_DEVICE | STM32_DMA_CR_MINC | STM32_DMA_CR_TCIE |   \
     STM32_DMA_CR_TEIE)
#define RX_CR (STM32_DMA_USART2_CHANNEL | STM32_DMA_CR_CIRCULAR | STM32_DMA_CR_MINC)

static _Atomic uint32_t sending; /* bytes of the active transfer */

static uint32_t address_of(const volatile void *memory)
{
    return (uint32_t)(uintptr_t)memory;
}

void trace_uart_start(void)
{
    STM32_RCC_AHB1ENR |= STM32_RCC_AHB1ENR_DMA1;
    STM32_USART2->cr3 = STM32_USART_CR3_DMAR | STM32_USART_CR3_DMAT;
    trace_usart_start(0);
    TX->par = address_of(&STM32_USART2->dr);
    TX->cr = TX_CR;
    RX->par = address_of(&STM32_USART2->dr);
    RX->m0ar = address_of(rx_bytes);
    RX->ndtr = sizeof rx_bytes;
    RX->cr = RX_CR;
    RX->cr = RX_CR | STM32_DMA_CR_EN;
    nvic_set_priority(STM32_DMA1_STREAM6_IRQ, PRIORITY_TRACE_UART);
    NVIC_ISER[STM32_DMA1_STREAM6_IRQ / 32u] = 1u << (STM32_DMA1_STREAM6_IRQ % 32u);
}

/* Start a transfer of the oldest bytes, if there are any. No transfer may be active. Its interrupt
 * may occur before this function returns. */
static void begin(void)
{
    const uint8_t *bytes;
    uint32_t count = byte_ring_peek(&uart.tx, &bytes);
    count = count < TRANSFER_BYTES ? count : TRANSFER_BYTES;
    atomic_store_explicit(&sending, count, memory_order_relaxed);
    if (count != 0u) {
        TX->m0ar = address_of(bytes);
        TX->ndtr = count;
        atomic_thread_fence(memory_order_seq_cst); /* write the bytes before the transfer */
        TX->cr = TX_CR | STM32_DMA_CR_EN;
    }
}

/* Interrupt at the end of a transfer. After a transfer error its bytes are skipped too: the CRC of
 * their frames then fails. */
void trace_dma_handler(void)
{
    stm32_dma_t *dma = STM32_DMA1;
    if ((dma->hisr & (STM32_DMA_STREAM6_DONE | STM32_DMA_STREAM6_ERROR)) == 0u) {
        return; /* spurious, because the flags were cleared late */
    }
    dma->hifcr = STM32_DMA_STREAM6_FLAGS;
    byte_ring_skip(&uart.tx, atomic_load_explicit(&sending, memory_order_relaxed));
    begin();
    if (tt_drain_waits() && byte_ring_used(&uart.tx) <= sizeof tx_bytes / 4u) {
        tt_port_notify_drain();
    }
}

/* Start a transfer unless one is active; the interrupt at its end then starts the next. */
static void send(void)
{
    if (atomic_load_explicit(&sending, memory_order_relaxed) == 0u) {
        begin();
    }
}

/* Commit the bytes that have arrived since the last call to the ring. If the host sends more than
 * the ring holds between two calls, its command is damaged. After an overrun both registers must be
 * read before the USART receives again. */
static void receive(void)
{
    uint32_t written = atomic_load_explicit(&uart.rx.written, memory_order_relaxed);
    uint32_t arrived = (sizeof rx_bytes - RX->ndtr - written) % sizeof rx_bytes;
    uint32_t room = byte_ring_free(&uart.rx);
    if (arrived > room) {
        byte_ring_skip(&uart.rx, arrived - room); /* overwritten */
    }
    byte_ring_commit(&uart.rx, arrived);
    if ((STM32_USART2->sr & STM32_USART_SR_ERRORS) != 0u) {
        (void)STM32_USART2->dr;
    }
}

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
