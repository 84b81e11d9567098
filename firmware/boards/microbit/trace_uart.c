/*
 * Trace link over the UART: a ring for each direction and one interrupt.
 *
 * The interrupt bypasses the kernel and is not traced: otherwise each byte sent would make records
 * that have to be sent. It accesses only these rings.
 */
#include <stdbool.h>

#include "board.h"
#include "board_link.h"
#include "handlers.h"
#include "nrf51.h"
#include "ring_link.h"
#include "scs.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

/* Higher priority than interrupts of the kernel: a lost byte costs a frame. */
#define PRIORITY_TRACE_UART 0x40u

/* Pins of the board's second processor, which is a USB serial port. */
#define PIN_TX 24u
#define PIN_RX 25u

static void send(void);

/* Bytes of the ring to the host, a power of two. The drain is woken when most of them are sent, so
 * a larger ring is needed only if threads of higher priority delay the drain for long. */
#ifndef TRACE_UART_RING_BYTES
#define TRACE_UART_RING_BYTES BYTE_RING_SIZE(TT_LINK_LEAST_BYTES)
#endif

static uint8_t tx_bytes[TRACE_UART_RING_BYTES];
_Static_assert(sizeof tx_bytes >= TT_LINK_LEAST_BYTES, "a frame fits");
/* Fits the longest command. */
static uint8_t rx_bytes[TT_CONFIG_COMMAND_PAYLOAD_BYTES > 16 ? 256 : 64];
static ring_link_t uart = {RING_LINK_INIT(uart, tx_bytes, ring_link_get),
                           .rx = BYTE_RING_INIT(rx_bytes), .send = send};

/* A byte is being sent: TXDRDY follows. */
static volatile bool is_sending;

void trace_uart_start(void)
{
    NRF51_GPIO_OUTSET = 1u << PIN_TX;
    NRF51_GPIO_DIRSET = 1u << PIN_TX;
    NRF51_UART_PSELTXD = PIN_TX;
    NRF51_UART_PSELRXD = PIN_RX;
    /* The register's unit is 16 MHz / 2^32; the low 12 bits are 0. */
    NRF51_UART_BAUDRATE =
        (uint32_t)((((uint64_t)BOARD_TRACE_BAUD << 32) / 16000000u + 0x800u) & 0xfffff000u);
    NRF51_UART_ENABLE = NRF51_UART_ENABLED;
    NRF51_UART_INTENSET = NRF51_UART_INT_RXDRDY | NRF51_UART_INT_TXDRDY;
    NRF51_UART_STARTTX = 1;
    NRF51_UART_STARTRX = 1;
    nvic_set_priority(NRF51_UART_IRQ, PRIORITY_TRACE_UART);
    NVIC_ISER[0] = 1u << NRF51_UART_IRQ;
}

/* Store the bytes that have arrived. Without room in the ring a byte is lost; the CRC of its frame
 * then fails. */
static void receive(void)
{
    while (NRF51_UART_RXDRDY != 0u) {
        NRF51_UART_RXDRDY = 0;
        uint8_t byte = (uint8_t)NRF51_UART_RXD;
        (void)byte_ring_write(&uart.rx, &byte, 1);
    }
}

/* Wake the drain if it waits for room and three quarters of the ring are free. */
static void wake_drain(void)
{
    if (tt_drain_waits() && byte_ring_used(&uart.tx) <= sizeof tx_bytes / 4u) {
        tt_port_notify_drain();
    }
}

/* Interrupt of the UART: bytes have arrived, a byte was sent, or the drain raised it to start
 * sending. */
void trace_uart_handler(void)
{
    uint8_t byte;
    receive();
    if (NRF51_UART_TXDRDY != 0u) {
        NRF51_UART_TXDRDY = 0;
        is_sending = false;
    }
    if (!is_sending && byte_ring_read(&uart.tx, &byte, 1) == 1u) {
        is_sending = true;
        NRF51_UART_TXD = byte;
    }
    wake_drain();
}

static void send(void)
{
    board_irq_raise(NRF51_UART_IRQ);
}

#if BOARD_TRACE_LINK == BOARD_LINK_OWN

const tt_link_t *board_trace_link(void)
{
    return &uart.link;
}

bool board_trace_sent(void)
{
    return byte_ring_used(&uart.tx) == 0u && !is_sending;
}

void trace_link_close(void)
{
}

#endif

void tt_port_notify_drain(void)
{
    board_irq_raise(BOARD_DRAIN_IRQ);
}
