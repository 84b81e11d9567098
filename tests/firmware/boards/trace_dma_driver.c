/*
 * boards/stm32f4/trace_dma.c on simulated registers: two streams of a DMA controller, which move
 * bytes at the test's request, and the interrupt at the end of a transfer. The test also raises a
 * spurious interrupt, one after a transfer error, and one while the drain commits bytes.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stm32f4.h"

static stm32_dma_t controller;
static stm32_usart_t usart;
static uint32_t other_registers[32];

#undef STM32_DMA1
#define STM32_DMA1 (&controller)
#undef STM32_USART2
#define STM32_USART2 (&usart)
#undef STM32_RCC_AHB1ENR
#define STM32_RCC_AHB1ENR (other_registers[0])

#include "scs.h"
#undef NVIC_ISER
#define NVIC_ISER                        ((volatile uint32_t *)&other_registers[1])
#define nvic_set_priority(irq, priority) ((void)(irq), (void)(priority))

#include "trace_dma.c"

static uint32_t drain_wakes;
static uint32_t woken_with_bytes; /* maximum number of bytes in the ring at a wake-up */
static bool drain_waits;

bool tt_drain_waits(void)
{
    return drain_waits;
}

void tt_port_notify_drain(void)
{
    uint32_t used = byte_ring_used(&uart.tx);
    drain_wakes++;
    woken_with_bytes = used > woken_with_bytes ? used : woken_with_bytes;
}

void trace_usart_start(uint32_t cr1)
{
    usart.cr1 = cr1;
    usart.sr = STM32_USART_SR_TC;
}

#define EXPECT(holds)                                                                              \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            printf("line %d: %s\n", __LINE__, #holds);                                             \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static uint8_t sent[1u << 20];
static uint32_t sent_count;
static uint32_t interrupts;
static uint32_t moved; /* bytes of the current transfer */
static uint32_t longest_transfer;

/* Move up to `count` bytes to the USART as the controller does. At the end of a transfer, switch
 * the stream off and raise the interrupt. */
static void transmit(uint32_t count)
{
    stm32_dma_stream_t *tx = &controller.streams[STM32_DMA_USART2_TX];
    while (count > 0u && (tx->cr & STM32_DMA_CR_EN) != 0u) {
        const uint8_t *from = (const uint8_t *)(uintptr_t)tx->m0ar;
        EXPECT(from >= tx_bytes && from < tx_bytes + sizeof tx_bytes);
        EXPECT(tx->ndtr != 0u && tx->par == (uint32_t)(uintptr_t)&usart.dr);
        sent[sent_count++] = *from;
        moved++;
        tx->m0ar++; /* real hardware keeps the address; the driver sets it for each transfer */
        tx->ndtr--;
        count--;
        if (tx->ndtr == 0u) {
            tx->cr &= ~STM32_DMA_CR_EN;
            controller.hisr |= STM32_DMA_STREAM6_DONE;
            interrupts++;
            trace_dma_handler();
            EXPECT((controller.hifcr & STM32_DMA_STREAM6_DONE) != 0u);
            controller.hisr &= ~controller.hifcr;
            controller.hifcr = 0;
            longest_transfer = moved > longest_transfer ? moved : longest_transfer;
            moved = 0;
        }
    }
}

/* Pass bytes to the link: all at once, or stored in lent memory and committed in two parts, with
 * transfers in between. */
static void give(const tt_link_t *link, const uint8_t *bytes, uint32_t count, uint32_t busy)
{
    if (busy % 2u == 0u) {
        link->put(link->context, bytes, count);
        return;
    }
    for (uint32_t done = 0; done < count;) {
        uint8_t *to;
        uint32_t piece = link->acquire(link->context, 0, &to);
        EXPECT(piece != 0u);
        piece = piece < count - done ? piece : count - done;
        piece = piece > 1u ? piece / 2u : piece;
        memcpy(to, bytes + done, piece);
        transmit(busy);
        link->commit(link->context, piece);
        done += piece;
    }
}

/* Bytes leave in order, whatever the drain passes and however far the controller is, and the link
 * becomes idle by itself. */
static void check_sending(const tt_link_t *link)
{
    static uint8_t given[sizeof sent];
    uint32_t count = 0;
    uint32_t random = 1;
    while (count + sizeof tx_bytes < sizeof given) {
        random = random * 1664525u + 1013904223u;
        uint32_t room = link->room_bytes(link->context);
        uint32_t wish = 1u + (random >> 8) % (sizeof tx_bytes / 2u);
        uint32_t piece = wish < room ? wish : room;
        for (uint32_t i = 0; i < piece; i++) {
            given[count + i] = (uint8_t)((count + i) * 7u + (count + i) / 256u);
        }
        drain_waits = piece < wish;
        if (piece != 0u) {
            give(link, given + count, piece, random >> 28);
        }
        count += piece;
        transmit((random >> 20) % 400u);
        trace_dma_handler(); /* spurious */
    }
    drain_wakes = 0;
    drain_waits = true;
    EXPECT(count > sizeof sent / 2u);
    transmit(UINT32_MAX);
    EXPECT(sent_count == count && memcmp(sent, given, count) == 0);
    EXPECT(board_trace_sent());
    EXPECT(drain_wakes != 0u && woken_with_bytes <= sizeof tx_bytes / 4u);
    EXPECT(longest_transfer <= sizeof tx_bytes / 4u);
    usart.sr = 0; /* the last byte is on the wire */
    EXPECT(!board_trace_sent());
    usart.sr = STM32_USART_SR_TC;
}

/* Sending a full ring causes an interrupt per quarter of the ring. */
static void check_interrupts(const tt_link_t *link)
{
    static const uint8_t bytes[sizeof tx_bytes];
    interrupts = 0;
    sent_count = 0;
    link->put(link->context, bytes, sizeof bytes);
    transmit(UINT32_MAX);
    EXPECT(interrupts == 4u || interrupts == 5u); /* 5: the end of the ring splits a quarter */
}

/* A bus error ends a transfer: its bytes are lost, later bytes leave. */
static void check_error(const tt_link_t *link)
{
    static const uint8_t bytes[] = {1, 2, 3, 4, 5};
    link->put(link->context, bytes, 3);
    controller.streams[STM32_DMA_USART2_TX].cr &= ~STM32_DMA_CR_EN;
    controller.hisr = STM32_DMA_STREAM6_ERROR;
    link->put(link->context, bytes + 3, 2); /* before the driver knows of the error */
    sent_count = 0;
    trace_dma_handler();
    controller.hisr = 0;
    transmit(UINT32_MAX);
    EXPECT(sent_count == 2u && memcmp(sent, bytes + 3, 2) == 0);
    EXPECT(board_trace_sent());
}

/* The controller stores received bytes in its circular buffer. */
static uint8_t next_byte;
static void arrive(uint32_t count)
{
    stm32_dma_stream_t *rx = &controller.streams[STM32_DMA_USART2_RX];
    EXPECT((rx->cr & (STM32_DMA_CR_EN | STM32_DMA_CR_CIRCULAR)) ==
           (STM32_DMA_CR_EN | STM32_DMA_CR_CIRCULAR));
    for (uint32_t i = 0; i < count; i++) {
        rx_bytes[sizeof rx_bytes - rx->ndtr] = next_byte++;
        rx->ndtr = rx->ndtr == 1u ? sizeof rx_bytes : rx->ndtr - 1u;
    }
}

static void check_receiving(const tt_link_t *link)
{
    uint8_t received[sizeof rx_bytes];
    uint8_t expected = 0;
    for (uint32_t i = 0; i < 2000u; i++) {
        uint32_t count = i * 37u % sizeof rx_bytes;
        arrive(count);
        uint32_t got = 0;
        uint32_t part;
        while ((part = link->get(link->context, received + got, 1u + i % 60u)) != 0u) {
            got += part;
        }
        EXPECT(got == count);
        for (uint32_t j = 0; j < got; j++) {
            EXPECT(received[j] == expected++);
        }
    }
    /* More bytes than the circular buffer holds: the newest ones remain. */
    arrive(200);
    (void)link->get(link->context, received, 0);
    arrive(100);
    uint32_t got = link->get(link->context, received, sizeof received);
    EXPECT(got == sizeof rx_bytes);
    EXPECT((uint8_t)(received[got - 1u] + 1u) == next_byte);
    EXPECT((uint8_t)(received[0] + (uint8_t)sizeof rx_bytes) == next_byte);
}

int main(void)
{
    trace_uart_start();
    const tt_link_t *link = board_trace_link();
    EXPECT(controller.streams[STM32_DMA_USART2_TX].cr == TX_CR); /* nothing is sent yet */
    EXPECT(other_registers[1] == 1u << STM32_DMA1_STREAM6_IRQ);
    check_sending(link);
    check_interrupts(link);
    check_error(link);
    check_receiving(link);
    return 0;
}
