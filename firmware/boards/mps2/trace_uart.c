/*
 * Trace link over UART0: a ring and an interrupt for each direction.
 *
 * Both interrupts bypass the kernel and are not traced: otherwise each byte sent would make records
 * that have to be sent. They access only these rings.
 */
#include "board.h"
#include "handlers.h"
#include "mps2.h"
#include "ring_link.h"
#include "scs.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

/* Real boards only: the emulator sends as fast as the host reads. */
#define TRACE_BAUD 1000000u

/* Higher priority than interrupts of the kernel: a lost byte costs a frame. */
#define PRIORITY_TRACE_UART 0x40u

/* Maximum number of bytes that one interrupt sends. */
#ifndef TRACE_UART_BYTES_AT_ONCE
#define TRACE_UART_BYTES_AT_ONCE 16u
#endif

/* Maximum number of bytes that the handler takes from the ring at a time. Their room is free for
 * the drain after all of them are sent. */
#define SPAN_BYTES 256u

/* Bytes of the ring to the host, a power of two. The drain is woken when half of the ring is free,
 * so a larger ring is needed only if threads of higher priority delay the drain for long. */
#ifndef TRACE_UART_RING_BYTES
#define TRACE_UART_RING_BYTES BYTE_RING_SIZE(2u * TT_LINK_LEAST_BYTES)
#endif

static uint8_t tx_bytes[TRACE_UART_RING_BYTES];
_Static_assert(sizeof tx_bytes >= TT_LINK_LEAST_BYTES, "a frame fits");
/* Fits the longest command. */
static uint8_t rx_bytes[256];
static ring_link_t uart = {RING_LINK_INIT(uart, tx_bytes, ring_link_get),
                           .rx = BYTE_RING_INIT(rx_bytes), .send = trace_uart_raise_tx};

/* Span: the bytes of the ring that the handler is sending, and their number at its start. */
static struct {
    const uint8_t *next;
    const uint8_t *end;
    uint32_t count;
} span;

void trace_uart_start(void)
{
    MPS2_UART0->baud_divider = MPS2_SYSTEM_HZ / TRACE_BAUD;
    MPS2_UART0->ctrl = MPS2_UART_CTRL_TX_ENABLE | MPS2_UART_CTRL_RX_ENABLE |
                       MPS2_UART_CTRL_TX_INTERRUPT | MPS2_UART_CTRL_RX_INTERRUPT;
    nvic_set_priority(MPS2_UART0_RX_IRQ, PRIORITY_TRACE_UART);
    nvic_set_priority(MPS2_UART0_TX_IRQ, PRIORITY_TRACE_UART);
    NVIC_ISER[MPS2_UART0_RX_IRQ / 32u] =
        (1u << (MPS2_UART0_RX_IRQ % 32u)) | (1u << (MPS2_UART0_TX_IRQ % 32u));
}

static inline bool is_full(void)
{
    return (MPS2_UART0->state & MPS2_UART_STATE_TX_FULL) != 0u;
}

/* Send up to four bytes and return how many the UART accepted. */
static inline uint32_t send_four(const uint8_t *bytes)
{
    if (is_full()) {
        return 0;
    }
    MPS2_UART0->data = bytes[0];
    if (is_full()) {
        return 1;
    }
    MPS2_UART0->data = bytes[1];
    if (is_full()) {
        return 2;
    }
    MPS2_UART0->data = bytes[2];
    if (is_full()) {
        return 3;
    }
    MPS2_UART0->data = bytes[3];
    return 4;
}

/* Send bytes of the span. Sending four per iteration saves 2 instructions per byte. */
static inline void send_span(void)
{
    const uint8_t *next = span.next;
    uint32_t left = (uint32_t)(span.end - next);
    left = left < TRACE_UART_BYTES_AT_ONCE ? left : TRACE_UART_BYTES_AT_ONCE;
    for (uint32_t sent = 4; left >= 4u && sent == 4u; left -= sent, next += sent) {
        sent = send_four(next);
    }
    for (; left != 0u && !is_full(); left--) {
        MPS2_UART0->data = *next++;
    }
    span.next = next;
}

/* Wake the drain if it waits for room and half of the ring is free. */
static inline void wake_drain(void)
{
    if (tt_drain_waits() && byte_ring_used(&uart.tx) <= sizeof tx_bytes / 2u) {
        tt_port_notify_drain();
    }
}

/* Release the span to the ring, take the next one and send from it. */
static __attribute__((noinline)) void send_next_span(void)
{
    byte_ring_skip(&uart.tx, span.count);
    uint32_t count = byte_ring_peek(&uart.tx, &span.next);
    span.count = count < SPAN_BYTES ? count : SPAN_BYTES;
    span.end = span.next + span.count;
    send_span();
    wake_drain();
}

/*
 * Transmit interrupt: a byte was sent, or the drain raised it to start. A real UART accepts one or
 * two bytes. The emulator's is always empty again immediately, hence the limit.
 */
void trace_uart_tx_handler(void)
{
    MPS2_UART0->int_status = MPS2_UART_INT_TX;
    if (span.next == span.end) {
        send_next_span();
    } else {
        send_span();
    }
}

/*
 * Receive interrupt: store the bytes that have arrived. There may be more than one: Renode's UART
 * has a queue, and interrupts when a byte arrives, not while one waits. Without room in the ring a
 * byte is lost; the CRC of its frame then fails.
 */
void trace_uart_rx_handler(void)
{
    MPS2_UART0->int_status = MPS2_UART_INT_RX;
    while ((MPS2_UART0->state & MPS2_UART_STATE_RX_FULL) != 0u) {
        uint8_t byte = (uint8_t)MPS2_UART0->data;
        (void)byte_ring_write(&uart.rx, &byte, 1);
    }
}

const tt_link_t *trace_uart_link(void)
{
    return &uart.link;
}

bool trace_uart_sent(void)
{
    return byte_ring_used(&uart.tx) == 0u && (MPS2_UART0->state & MPS2_UART_STATE_TX_FULL) == 0u;
}
