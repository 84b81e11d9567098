/*
 * Link over a dedicated UART with the asynchronous API: the driver, often with DMA, sends whole
 * pieces of the ring and reports when they are sent.
 */
/* The link is not traced. */
#define DISABLE_SYSCALL_TRACING

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <zephyr/device.h>
#include <zephyr/drivers/uart.h>
#include <zephyr/kernel.h>

#include "links.h"
#include "poll.h"

/* Buffers that DMA reads and writes are in uncached memory. */
#if !defined(__nocache) || !defined(CONFIG_NOCACHE_MEMORY)
#undef __nocache
#define __nocache
#endif
#define SPOOL_PLACE __nocache
#include "spool.h"

#define UART_NODE DT_CHOSEN(tickertape_uart)
BUILD_ASSERT(DT_NODE_HAS_STATUS(UART_NODE, okay),
             "choose a UART in the devicetree: / { chosen { tickertape,uart = &uart1; }; };");

/* The driver hands over received bytes after this time without a new one. */
#define RX_TIMEOUT_US 1000
#define RX_BYTES      64u

static const struct device *const uart = DEVICE_DT_GET(UART_NODE);

static bool has_opened(void);
static uint8_t rx_bytes[SPOOL_RX_BYTES];
SPOOL_DEFINE(ring, ring_link_get, .rx = BYTE_RING_INIT(rx_bytes), .pump = has_opened);
static __nocache uint8_t rx_pieces[2][RX_BYTES];
static uint32_t rx_next;
static atomic_bool is_open;
static atomic_bool is_sending;

/* Hand the oldest bytes to the driver, unless it is sending. Called by the drain and in the
 * interrupt. */
static void send_next(void)
{
    const uint8_t *bytes;
    while (!atomic_exchange(&is_sending, true)) {
        uint32_t count = byte_ring_peek(&ring.tx, &bytes);
        if (count != 0u && uart_tx(uart, bytes, count, SYS_FOREVER_US) == 0) {
            return;
        }
        atomic_store(&is_sending, false);
        if (count != 0u || byte_ring_used(&ring.tx) == 0u) {
            return; /* refused: the drain tries again; or still nothing to send */
        }
    }
}

static void serve(const struct device *device, struct uart_event *event, void *context)
{
    (void)context;
    switch (event->type) {
    case UART_TX_DONE:
    case UART_TX_ABORTED:
        byte_ring_skip(&ring.tx, (uint32_t)event->data.tx.len);
        atomic_store(&is_sending, false);
        send_next();
        tt_zephyr_wake_for_room(byte_ring_used(&ring.tx));
        break;
    case UART_RX_RDY:
        (void)byte_ring_write(&ring.rx, event->data.rx.buf + event->data.rx.offset,
                              (uint32_t)event->data.rx.len);
        tt_zephyr_wake_from_link();
        break;
    case UART_RX_BUF_REQUEST:
        (void)uart_rx_buf_rsp(device, rx_pieces[rx_next ^= 1u], RX_BYTES);
        break;
    case UART_RX_DISABLED: /* after a line error */
        rx_next = 0;
        (void)uart_rx_enable(device, rx_pieces[0], RX_BYTES, RX_TIMEOUT_US);
        break;
    default:
        break;
    }
}

static bool has_opened(void)
{
    return atomic_load(&is_open);
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
    int status = uart_callback_set(uart, serve, NULL);
    if (status != 0) {
        return status;
    }
    (void)uart_rx_enable(uart, rx_pieces[0], RX_BYTES, RX_TIMEOUT_US); /* some cannot receive */
    atomic_store(&is_open, true);
    return 0;
}

void tt_zephyr_link_flush(void)
{
    send_next();
}

bool tt_zephyr_link_sent(void)
{
    return byte_ring_used(&ring.tx) == 0u;
}
