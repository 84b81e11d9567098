/*
 * The interrupt of a UART against a model of the STM32F4's registers: every combination of error
 * flags, a received byte, and room to send. One service clears what raised the interrupt, and
 * stores and sends exactly the bytes there are.
 */
#include <string.h>

#include "plain_port.h"
#include "uart_link.h"

/* Bits of SR and CR1 (RM0090, 30.6). */
#define PE     (1u << 0)
#define ORE    (1u << 3)
#define RXNE   (1u << 5)
#define TXE    (1u << 7)
#define ERRORS 15u /* PE, FE, NE, ORE */

static uint32_t sr;
static uint8_t dr;
static uint32_t is_enabled; /* TXEIE */
static uint32_t sr_is_read;
static uint32_t stuck; /* bits that no read clears */
static uint8_t sent[8];
static uint32_t sent_count;

static uint32_t state(void)
{
    sr_is_read = 1;
    return ((sr & RXNE) != 0u ? UART_LINK_RECEIVED : 0u) |
           ((sr & TXE) != 0u ? UART_LINK_ROOM : 0u) | ((sr & ERRORS) != 0u ? UART_LINK_ERROR : 0u);
}

/* A read of DR clears RXNE, and after a read of SR the errors. */
static uint8_t read_byte(void)
{
    sr &= ~RXNE;
    sr = sr_is_read != 0u ? sr & ~ERRORS : sr;
    sr |= stuck;
    return dr;
}

static void write_byte(uint8_t byte)
{
    EXPECT((sr & TXE) != 0u);
    sent[sent_count++] = byte;
    sr &= ~TXE;
}

static void interrupt_when_room(bool enable)
{
    is_enabled = enable;
}

static const uart_link_registers_t registers = {.state = state,
                                                .read = read_byte,
                                                .write = write_byte,
                                                .interrupt_when_room = interrupt_when_room};

/* RXNEIE is set: these raise the interrupt. */
static bool is_raised(void)
{
    return (sr & (RXNE | ORE | PE)) != 0u || (is_enabled != 0u && (sr & TXE) != 0u);
}

static void serve(uint32_t flags, uint32_t waiting)
{
    static uint8_t tx_bytes[8];
    static uint8_t rx_bytes[8];
    byte_ring_t tx = BYTE_RING_INIT(tx_bytes);
    byte_ring_t rx = BYTE_RING_INIT(rx_bytes);
    uint8_t byte = 0;
    (void)byte_ring_write(&tx, (const uint8_t *)"abc", waiting);
    sr = flags;
    dr = 'r';
    sr_is_read = 0;
    sent_count = 0;
    is_enabled = 1;
    uart_link_serve(&registers, &rx, &tx);
    EXPECT_EQUAL(sr & (RXNE | ERRORS), 0);
    EXPECT(!is_raised());
    EXPECT_EQUAL(byte_ring_read(&rx, &byte, 1), (flags & RXNE) != 0u);
    EXPECT(byte == ((flags & RXNE) != 0u ? 'r' : 0));
    EXPECT_EQUAL(sent_count, (flags & TXE) != 0u && waiting != 0u);
    EXPECT_EQUAL(byte_ring_used(&tx), waiting - sent_count);
    EXPECT(sent_count == 0u || sent[0] == 'a');
    EXPECT_EQUAL(is_enabled, waiting != 0u);
}

/* A UART whose flags never clear cannot keep the processor in one interrupt. */
static void leave_a_faulty_uart(void)
{
    static uint8_t rx_bytes[8];
    byte_ring_t rx = BYTE_RING_INIT(rx_bytes);
    stuck = ORE | RXNE;
    sr = stuck;
    uart_link_receive(&registers, &rx);
    EXPECT_EQUAL(byte_ring_used(&rx), 8);
}

int main(void)
{
    for (uint32_t errors = 0; errors <= ERRORS; errors++) {
        for (uint32_t others = 0; others < 4u; others++) {
            uint32_t flags = errors | (others & 1u ? RXNE : 0u) | (others & 2u ? TXE : 0u);
            serve(flags, 0);
            serve(flags, 3);
        }
    }
    leave_a_faulty_uart();
    return plain_port.failures;
}
