/*
 * A link over a UART of STM32's HAL, by interrupt, or by DMA with -DTRACE_BY_DMA=1. It compiles
 * with stubs of the HAL; it has not run on a board.
 *
 * In CubeMX, enable the UART with its global interrupt; for DMA also a channel for TX with its
 * interrupt. They may have any priority, because this code does not call the kernel. main() starts
 * the trace after MX_USARTx_UART_Init():
 *
 *     tt_freertos_start("my application", trace_uart_open(&huart3));
 *
 * The application defines HAL_UART_TxCpltCallback() and HAL_UART_RxCpltCallback(), and calls
 * trace_uart_sent() and trace_uart_received() from them.
 */
#include <stdbool.h>
#include <stddef.h>

#include "FreeRTOS.h"

#include "main.h" /* CubeMX: the HAL of this family */

#include "byte_ring.h"
#include "stm32_hal_uart.h"
#include "tickertape/link.h"

#ifndef TRACE_BY_DMA
#define TRACE_BY_DMA 0
#endif

static UART_HandleTypeDef *uart;
static uint8_t tx_bytes[BYTE_RING_SIZE(TT_LINK_LEAST_BYTES + 1024u)];
static uint8_t rx_bytes[512];
static byte_ring_t tx = BYTE_RING_INIT(tx_bytes);
static byte_ring_t rx = BYTE_RING_INIT(rx_bytes);
static volatile bool is_sending;

/* The bytes that the HAL sends. With DMA they must lie in memory without a write cache that the
 * controller can read. */
static uint8_t block[256];
static uint8_t received;

/* Send the next block. Called by the drain while nothing is being sent, or by the interrupt at the
 * end of a block: never by both at a time. */
static void send_next(void)
{
    uint32_t count = byte_ring_read(&tx, block, sizeof block);
    is_sending = count != 0u;
    if (count != 0u) {
#if TRACE_BY_DMA
        (void)HAL_UART_Transmit_DMA(uart, block, (uint16_t)count);
#else
        (void)HAL_UART_Transmit_IT(uart, block, (uint16_t)count);
#endif
    }
}

void trace_uart_sent(UART_HandleTypeDef *which)
{
    if (which == uart) {
        send_next();
    }
}

void trace_uart_received(UART_HandleTypeDef *which)
{
    if (which == uart) {
        (void)byte_ring_write(&rx, &received, 1);
        (void)HAL_UART_Receive_IT(uart, &received, 1);
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
    if (!is_sending) {
        send_next();
    }
}

const tt_freertos_link_t *trace_uart_open(UART_HandleTypeDef *which)
{
    static const tt_freertos_link_t link = {
        .room_bytes = room_bytes,
        .put = put,
        .get = get,
        .kick = kick,
    };
    uart = which;
    (void)HAL_UART_Receive_IT(uart, &received, 1);
    return &link;
}
