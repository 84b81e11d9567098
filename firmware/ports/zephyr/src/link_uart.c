/*
 * Link over a dedicated UART, interrupt-driven: a ring of bytes and an interrupt for each
 * direction. The interrupts access only these rings and are not traced. The driver of a UART over
 * USB (CDC ACM) calls serve() from a work queue instead, and the interrupts are those of the USB
 * controller.
 */
/* The link is not traced. */
#define DISABLE_SYSCALL_TRACING

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <zephyr/device.h>
#include <zephyr/drivers/uart.h>

#include "links.h"
#include "poll.h"
#include "spool.h"

#define UART_NODE DT_CHOSEN(tickertape_uart)
BUILD_ASSERT(DT_NODE_HAS_STATUS(UART_NODE, okay),
             "choose a UART in the devicetree: / { chosen { tickertape,uart = &uart1; }; };");

#ifdef CONFIG_TICKERTAPE_UART_IS_USB
/* The driver calls from a work item for each transfer, so transfers are large. */
#define TX_BYTES_AT_ONCE CONFIG_TICKERTAPE_LINK_BYTES
#else
/* Maximum number of bytes that one interrupt sends: an emulated UART is empty again immediately. */
#define TX_BYTES_AT_ONCE 16u
#endif

/* The byte that ends a frame (COBS). */
#define FRAME_END 0u

static const struct device *const uart = DEVICE_DT_GET(UART_NODE);

static bool has_opened(void);
static void enable_tx(void);
static uint8_t rx_bytes[SPOOL_RX_BYTES];
SPOOL_DEFINE(ring, ring_link_get, .rx = BYTE_RING_INIT(rx_bytes), .pump = has_opened,
             .send = enable_tx);
static atomic_bool is_open;

/* Send as many bytes as the UART accepts. Return false if there was nothing to send. */
static bool send_some(void)
{
    const uint8_t *bytes;
    uint32_t count = byte_ring_peek(&ring.tx, &bytes);
    count = MIN(count, TX_BYTES_AT_ONCE);
    uint32_t sent = 0;
    while (sent < count && uart_irq_tx_ready(uart) > 0) {
        int taken = uart_fifo_fill(uart, bytes + sent, (int)(count - sent));
        if (taken <= 0) {
            break;
        }
        sent += (uint32_t)taken;
    }
    byte_ring_skip(&ring.tx, sent);
    tt_zephyr_wake_for_room(byte_ring_used(&ring.tx));
    return count != 0u;
}

static void receive(void)
{
    uint8_t byte;
    bool ended = false;
    while (uart_fifo_read(uart, &byte, 1) == 1) {
        (void)byte_ring_write(&ring.rx, &byte, 1); /* if full, the CRC of the frame fails */
        ended |= byte == FRAME_END;
    }
    if (ended) {
        tt_zephyr_wake_from_link();
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

static bool has_opened(void)
{
    return atomic_load(&is_open);
}

static void enable_tx(void)
{
    uart_irq_tx_enable(uart);
}

const tt_link_t *tt_zephyr_link(void)
{
    return &ring.link;
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
    /* While the USB bus was suspended the driver refused bytes, and it does not request them
     * again. */
    if (IS_ENABLED(CONFIG_TICKERTAPE_UART_IS_USB) && byte_ring_used(&ring.tx) != 0u) {
        enable_tx();
    }
}

bool tt_zephyr_link_sent(void)
{
    return byte_ring_used(&ring.tx) == 0u && uart_irq_tx_complete(uart) != 0;
}
