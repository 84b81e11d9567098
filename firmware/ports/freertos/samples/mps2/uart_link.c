/*
 * A link over UART0: the four functions of tt_freertos_link_t use a ring for each direction;
 * interrupts of the UART empty and fill the rings.
 *
 * Both interrupts have a higher priority than those that may call the kernel. They are not traced,
 * because each byte sent would cause records that have to be sent.
 */
#include "byte_ring.h"
#include "sample_board.h"
#include "tickertape/link.h"

#define UART_DATA       (*(volatile uint32_t *)(BOARD_UART + 0u))
#define UART_STATE      (*(volatile uint32_t *)(BOARD_UART + 4u))
#define UART_CTRL       (*(volatile uint32_t *)(BOARD_UART + 8u))
#define UART_INT_STATUS (*(volatile uint32_t *)(BOARD_UART + 12u))
#define UART_BAUD_DIV   (*(volatile uint32_t *)(BOARD_UART + 16u))
#define STATE_TX_FULL   1u
#define STATE_RX_FULL   2u
#define CTRL_ALL        0xfu /* both directions and their interrupts */
#define INT_TX          1u
#define INT_RX          2u
#define BAUD_DIVIDER    25u /* 1 Mbaud of 25 MHz */

#define NVIC_ISER ((volatile uint32_t *)0xe000e100u)
#define NVIC_ISPR ((volatile uint32_t *)0xe000e200u)
#define NVIC_IPR  ((volatile uint8_t *)0xe000e400u)
#define PRIORITY  0x40u

/* Limit of bytes per interrupt, to keep the interrupt short: the emulator's UART always has
 * room. */
#define BYTES_AT_ONCE 16u

static uint8_t tx_bytes[32768];
static uint8_t rx_bytes[1024];
_Static_assert(sizeof tx_bytes >= TT_LINK_LEAST_BYTES, "a buffer fits");
static byte_ring_t tx = BYTE_RING_INIT(tx_bytes);
static byte_ring_t rx = BYTE_RING_INIT(rx_bytes);

void board_start_uart(void)
{
    UART_BAUD_DIV = BAUD_DIVIDER;
    UART_CTRL = CTRL_ALL;
    NVIC_IPR[BOARD_RX_IRQ] = PRIORITY;
    NVIC_IPR[BOARD_TX_IRQ] = PRIORITY;
    NVIC_ISER[BOARD_RX_IRQ / 32u] = 3u << BOARD_RX_IRQ % 32u; /* both */
}

void board_uart_rx_handler(void)
{
    UART_INT_STATUS = INT_RX;
    while ((UART_STATE & STATE_RX_FULL) != 0u) {
        uint8_t byte = (uint8_t)UART_DATA;
        (void)byte_ring_write(&rx, &byte, 1);
    }
}

/* Called when a byte was sent, or when kick() has raised the interrupt. */
void board_uart_tx_handler(void)
{
    UART_INT_STATUS = INT_TX;
    uint8_t byte;
    for (uint32_t i = 0; i < BYTES_AT_ONCE && (UART_STATE & STATE_TX_FULL) == 0u; i++) {
        if (byte_ring_read(&tx, &byte, 1) == 0u) {
            break;
        }
        UART_DATA = byte;
    }
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
}

static uint32_t get(void *context, uint8_t *bytes, uint32_t count)
{
    (void)context;
    return byte_ring_read(&rx, bytes, count);
}

static void kick(void *context)
{
    (void)context;
    NVIC_ISPR[BOARD_TX_IRQ / 32u] = 1u << BOARD_TX_IRQ % 32u;
}

const tt_freertos_link_t board_trace_link = {
    .room_bytes = room_bytes,
    .put = put,
    .get = get,
    .kick = kick,
};
