#include "uart_link.h"

void uart_link_receive(const uart_link_registers_t *registers, byte_ring_t *rx)
{
    for (uint32_t left = UART_LINK_BYTES_AT_ONCE; left != 0u; left--) {
        uint32_t state = registers->state();
        if ((state & (UART_LINK_RECEIVED | UART_LINK_ERROR)) == 0u) {
            return;
        }
        uint8_t byte = registers->read();
        if ((state & UART_LINK_RECEIVED) != 0u) {
            (void)byte_ring_write(rx, &byte, 1);
        }
    }
}

bool uart_link_send(const uart_link_registers_t *registers, byte_ring_t *tx)
{
    const uint8_t *bytes;
    uint32_t left = byte_ring_peek(tx, &bytes);
    uint32_t count = 0;
    while (count < left && (registers->state() & UART_LINK_ROOM) != 0u) {
        registers->write(bytes[count++]);
    }
    byte_ring_skip(tx, count);
    return left != 0u;
}

void uart_link_serve(const uart_link_registers_t *registers, byte_ring_t *rx, byte_ring_t *tx)
{
    uart_link_receive(registers, rx);
    if (!uart_link_send(registers, tx)) {
        registers->interrupt_when_room(false);
    }
}
