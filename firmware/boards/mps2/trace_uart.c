/*
 * The trace link: UART0, a ring and an interrupt for each direction.
 *
 * Both interrupts go past the kernel and are not traced: each byte sent would otherwise make
 * records that have to be sent. They touch nothing but these rings.
 */
#include "board.h"
#include "byte_ring.h"
#include "handlers.h"
#include "mps2.h"
#include "scs.h"

/* Real boards only; the emulator sends as fast as the host takes it. */
#define TRACE_BAUD 1000000u

/* More urgent than what the kernel dispatches: a byte lost costs a frame. */
#define PRIORITY_TRACE_UART 0x40u

/* Bytes that one interrupt sends at most. */
#define TX_BYTES_AT_ONCE 16u

static uint8_t tx_bytes[BYTE_RING_SIZE(TT_LINK_LEAST_BYTES)];
_Static_assert(sizeof tx_bytes >= TT_LINK_LEAST_BYTES, "a buffer fits");
static uint8_t rx_bytes[1024];
static byte_ring_t tx = BYTE_RING_INIT(tx_bytes);
static byte_ring_t rx = BYTE_RING_INIT(rx_bytes);

void trace_uart_start(void)
{
    MPS2_UART0->baud_divider = MPS2_SYSTEM_HZ / TRACE_BAUD;
    MPS2_UART0->ctrl = MPS2_UART_CTRL_TX_ENABLE | MPS2_UART_CTRL_RX_ENABLE |
                       MPS2_UART_CTRL_TX_INTERRUPT | MPS2_UART_CTRL_RX_INTERRUPT;
    NVIC_IPR[MPS2_UART0_RX_IRQ] = PRIORITY_TRACE_UART;
    NVIC_IPR[MPS2_UART0_TX_IRQ] = PRIORITY_TRACE_UART;
    NVIC_ISER[MPS2_UART0_RX_IRQ / 32u] =
        (1u << (MPS2_UART0_RX_IRQ % 32u)) | (1u << (MPS2_UART0_TX_IRQ % 32u));
}

/*
 * The last byte has gone, or put() has raised the interrupt by hand to begin. A real UART takes
 * one byte or two; the emulator's is always empty at once, hence the limit.
 */
void trace_uart_tx_handler(void)
{
    uint8_t byte;
    MPS2_UART0->int_status = MPS2_UART_INT_TX;
    for (uint32_t i = 0; i < TX_BYTES_AT_ONCE; i++) {
        if ((MPS2_UART0->state & MPS2_UART_STATE_TX_FULL) != 0u ||
            byte_ring_read(&tx, &byte, 1) == 0u) {
            return;
        }
        MPS2_UART0->data = byte;
    }
}

/* A byte has come. When the ring is full it is lost; the frame's CRC will tell. */
void trace_uart_rx_handler(void)
{
    MPS2_UART0->int_status = MPS2_UART_INT_RX;
    uint8_t byte = (uint8_t)MPS2_UART0->data;
    (void)byte_ring_write(&rx, &byte, 1);
}

static uint32_t room_bytes(void *context)
{
    (void)context;
    return byte_ring_free(&tx);
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)byte_ring_write(&tx, bytes, count);
    trace_uart_raise_tx();
}

static uint32_t get(void *context, uint8_t *bytes, uint32_t count)
{
    (void)context;
    return byte_ring_read(&rx, bytes, count);
}

const tt_link_t *trace_uart_link(void)
{
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put, .get = get};
    return &link;
}

bool trace_uart_sent(void)
{
    return byte_ring_used(&tx) == 0u && (MPS2_UART0->state & MPS2_UART_STATE_TX_FULL) == 0u;
}
