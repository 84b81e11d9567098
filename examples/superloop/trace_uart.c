#include "trace_uart.h"

#include <stddef.h>

#include "board_config.h"
#include "byte_ring.h"

#define UART_DATA     (*(volatile uint32_t *)0x40004000u)
#define UART_STATE    (*(volatile uint32_t *)0x40004004u)
#define UART_CTRL     (*(volatile uint32_t *)0x40004008u)
#define UART_BAUD_DIV (*(volatile uint32_t *)0x40004010u)
#define STATE_TX_FULL 1u
#define CTRL_TX       1u
#define BAUD          1000000u

static uint8_t bytes_to_host[BYTE_RING_SIZE(2u * TT_LINK_LEAST_BYTES)];
static byte_ring_t ring = BYTE_RING_INIT(bytes_to_host);

void trace_uart_start(void)
{
    UART_BAUD_DIV = BOARD_CLOCK_HZ / BAUD;
    UART_CTRL = CTRL_TX;
}

bool trace_uart_poll(void)
{
    uint8_t byte;
    while ((UART_STATE & STATE_TX_FULL) == 0u && byte_ring_read(&ring, &byte, 1) == 1u) {
        UART_DATA = byte;
    }
    return byte_ring_used(&ring) != 0u;
}

static uint32_t room_bytes(void *context)
{
    (void)context;
    return byte_ring_free(&ring);
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)byte_ring_write(&ring, bytes, count);
}

const tt_link_t trace_uart = {.room_bytes = room_bytes, .put = put};
