#ifndef STUB_UART_H
#define STUB_UART_H
#include <stddef.h>
#include <stdint.h>
#include <zephyr/device.h>

enum uart_event_type {
    UART_TX_DONE,
    UART_TX_ABORTED,
    UART_RX_RDY,
    UART_RX_BUF_REQUEST,
    UART_RX_BUF_RELEASED,
    UART_RX_DISABLED,
    UART_RX_STOPPED,
};
struct uart_event {
    enum uart_event_type type;
    union {
        struct {
            const uint8_t *buf;
            size_t len;
        } tx;
        struct {
            uint8_t *buf;
            size_t offset;
            size_t len;
        } rx;
    } data;
};
typedef void (*uart_callback_t)(const struct device *device, struct uart_event *event, void *data);
typedef void (*uart_irq_callback_user_data_t)(const struct device *device, void *data);

int uart_callback_set(const struct device *device, uart_callback_t callback, void *data);
int uart_tx(const struct device *device, const uint8_t *bytes, size_t count, int32_t timeout);
int uart_rx_enable(const struct device *device, uint8_t *bytes, size_t count, int32_t timeout);
int uart_rx_buf_rsp(const struct device *device, uint8_t *bytes, size_t count);
int uart_irq_callback_user_data_set(const struct device *device,
                                    uart_irq_callback_user_data_t callback, void *data);
int uart_irq_update(const struct device *device);
int uart_irq_tx_ready(const struct device *device);
int uart_irq_rx_ready(const struct device *device);
int uart_irq_tx_complete(const struct device *device);
void uart_irq_tx_enable(const struct device *device);
void uart_irq_tx_disable(const struct device *device);
void uart_irq_rx_enable(const struct device *device);
int uart_fifo_fill(const struct device *device, const uint8_t *bytes, int count);
int uart_fifo_read(const struct device *device, uint8_t *bytes, int count);
#endif
