/*
 * The link over a UART of its own, interrupt-driven: a ring of bytes and an interrupt for each
 * direction. The interrupts touch nothing but these rings and are not traced.
 */
/* The link is not traced. */
#define DISABLE_SYSCALL_TRACING

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <zephyr/device.h>
#include <zephyr/drivers/uart.h>

#include "links.h"
#include "spool.h"

#define UART_NODE DT_CHOSEN(tickertape_uart)
BUILD_ASSERT(DT_NODE_HAS_STATUS(UART_NODE, okay),
             "choose a UART in the devicetree: / { chosen { tickertape,uart = &uart1; }; };");

/* Bytes that one interrupt sends at most: an emulated UART is always empty at once. */
#define TX_BYTES_AT_ONCE 16u

static const struct device *const uart = DEVICE_DT_GET(UART_NODE);

SPOOL_DEFINE(tx);
static uint8_t rx_bytes[512];
static byte_ring_t rx = BYTE_RING_INIT(rx_bytes);
static atomic_bool is_open;

/* Hand over as many bytes as the UART takes; false when nothing is left. */
static bool send_some(void)
{
    for (uint32_t i = 0; i < TX_BYTES_AT_ONCE; i++) {
        uint8_t byte;
        if (uart_irq_tx_ready(uart) <= 0) {
            return true;
        }
        if (byte_ring_read(&tx, &byte, 1) == 0u) {
            return false;
        }
        (void)uart_fifo_fill(uart, &byte, 1);
    }
    return true;
}

static void receive(void)
{
    uint8_t byte;
    while (uart_fifo_read(uart, &byte, 1) == 1) {
        (void)byte_ring_write(&rx, &byte, 1); /* when it is full the frame's CRC will tell */
    }
}

static void serve(const struct device *device, void *context)
{
    (void)context;
    if (uart_irq_update(device) == 0) {
        return;
    }
    if (uart_irq_rx_ready(device) > 0) {
        receive();
    }
    if (uart_irq_tx_ready(device) > 0 && !send_some()) {
        uart_irq_tx_disable(device);
    }
}

static uint32_t room_bytes(void *context)
{
    (void)context;
    return atomic_load(&is_open) ? byte_ring_free(&tx) : 0u;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)byte_ring_write(&tx, bytes, count);
    uart_irq_tx_enable(uart);
}

static uint32_t get(void *context, uint8_t *bytes, uint32_t count)
{
    (void)context;
    return byte_ring_read(&rx, bytes, count);
}

const tt_link_t *tt_zephyr_link(void)
{
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put, .get = get};
    return &link;
}

int tt_zephyr_link_open(void)
{
    if (!device_is_ready(uart)) {
        return -ENODEV;
    }
    uart_irq_callback_user_data_set(uart, serve, NULL);
    uart_irq_rx_enable(uart);
    atomic_store(&is_open, true);
    return 0;
}

void tt_zephyr_link_flush(void)
{
}

bool tt_zephyr_link_sent(void)
{
    return byte_ring_used(&tx) == 0u && uart_irq_tx_complete(uart) != 0;
}
