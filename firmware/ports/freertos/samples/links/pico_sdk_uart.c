/*
 * A link over uart0 of the Pico SDK, by interrupt. It compiles with stubs of the SDK; it has not
 * run on a board.
 *
 * An RP2040 has no cycle counter: compile the recorder to read its timer, which counts
 * microseconds, -DTT_PORT_CLOCK_REGISTER=0x40054028u, and set TT_FREERTOS_CLOCK_HZ to 1000000 in
 * FreeRTOSConfig.h. FreeRTOS runs on one core. In main(), after uart_init() and
 * gpio_set_function():
 *
 *     tt_freertos_start("my application", trace_uart_open());
 */
#include <stddef.h>

#include "FreeRTOS.h"

#include "hardware/irq.h"
#include "hardware/uart.h"

#include "byte_ring.h"
#include "tickertape/link.h"

const tt_freertos_link_t *trace_uart_open(void);

static uint8_t tx_bytes[BYTE_RING_SIZE(TT_LINK_LEAST_BYTES + 1024u)];
static uint8_t rx_bytes[512];
static byte_ring_t tx = BYTE_RING_INIT(tx_bytes);
static byte_ring_t rx = BYTE_RING_INIT(rx_bytes);

/* Interrupt: room for a byte, a received byte, or kick(). Without bytes to send, the interrupt for
 * room is disabled. */
static void on_uart(void)
{
    uint8_t byte;
    while (uart_is_readable(uart0)) {
        byte = (uint8_t)uart_getc(uart0);
        (void)byte_ring_write(&rx, &byte, 1);
    }
    while (uart_is_writable(uart0) && byte_ring_read(&tx, &byte, 1) != 0u) {
        uart_putc_raw(uart0, (char)byte);
    }
    uart_set_irq_enables(uart0, true, byte_ring_used(&tx) != 0u);
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
    irq_set_pending(UART0_IRQ);
}

const tt_freertos_link_t *trace_uart_open(void)
{
    static const tt_freertos_link_t link = {
        .room_bytes = room_bytes,
        .put = put,
        .get = get,
        .kick = kick,
    };
    irq_set_exclusive_handler(UART0_IRQ, on_uart);
    irq_set_enabled(UART0_IRQ, true);
    uart_set_irq_enables(uart0, true, false);
    return &link;
}
