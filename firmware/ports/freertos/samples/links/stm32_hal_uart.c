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
 * The application defines HAL_UART_TxCpltCallback(), HAL_UART_RxCpltCallback() and
 * HAL_UART_ErrorCallback(), and calls trace_uart_sent(), trace_uart_received() and
 * trace_uart_failed() from them. After an error, an overrun for example, the HAL has ended the
 * reception. A HAL that is busy (older ones lock the handle) refuses a call: then the drain tries
 * again.
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
static volatile bool is_receiving;

/* The bytes that the HAL sends. With DMA they must lie in memory without a write cache that the
 * controller can read. */
static uint8_t block[256];
static volatile uint32_t block_bytes; /* that the HAL has not accepted yet */
static uint8_t received;

static HAL_StatusTypeDef transmit(uint32_t count)
{
#if TRACE_BY_DMA
    return HAL_UART_Transmit_DMA(uart, block, (uint16_t)count);
#else
    return HAL_UART_Transmit_IT(uart, block, (uint16_t)count);
#endif
}

/* Wait for the next byte. */
static void receive_next(void)
{
    is_receiving = true;
    is_receiving = HAL_UART_Receive_IT(uart, &received, 1) == HAL_OK;
}

/* Send the next block, or the one that the HAL has refused. Called by the drain while nothing is
 * being sent, or by the interrupt at the end of a block: never by both at a time. */
static void send_next(void)
{
    uint32_t count = block_bytes != 0u ? block_bytes : byte_ring_read(&tx, block, sizeof block);
    block_bytes = 0; /* the interrupt at the end may come before transmit() returns */
    is_sending = count != 0u;
    if (count != 0u && transmit(count) != HAL_OK) {
        block_bytes = count;
        is_sending = false;
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
        receive_next();
    }
}

void trace_uart_failed(UART_HandleTypeDef *which)
{
    if (which == uart) {
        is_receiving = false; /* the drain starts it again */
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
    if (!is_receiving) {
        receive_next();
    }
    if (!is_sending && block_bytes != 0u) {
        send_next();
    }
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
    receive_next();
    return &link;
}
