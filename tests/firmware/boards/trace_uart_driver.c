/*
 * boards/mps2/trace_uart.c on a UART whose receiver has a queue, like Renode's CMSDK UART: the data
 * register contains the oldest byte, reading it moves the next one there, and the interrupt comes
 * once when bytes have arrived.
 *
 * C code cannot observe a read of a register. The handler stores each byte before its next register
 * access, so one more byte in the ring means a read from the queue. In the same way, a written byte
 * is in the register before the next access.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mps2.h"

static mps2_uart_t *uart_before_access(void);

#undef MPS2_UART0
#define MPS2_UART0 (uart_before_access())

#include "trace_uart.c"

static mps2_uart_t registers;
static const uint8_t *queue;
static uint32_t queued;
static uint32_t taken;

/* The transmitter: it accepts `accepts` bytes, then it is full. */
#define NO_BYTE 0x100u
static uint8_t sent[4096];
static uint32_t sent_count;
static uint32_t accepts;
static bool sending;

static mps2_uart_t *uart_before_access(void)
{
    if (sending) {
        if (registers.data != NO_BYTE) {
            sent[sent_count++] = (uint8_t)registers.data;
            accepts--;
        }
        registers.data = NO_BYTE;
        registers.state = accepts == 0u ? MPS2_UART_STATE_TX_FULL : 0u;
        return &registers;
    }
    uint32_t stored = atomic_load(&uart.rx.written);
    while (taken < stored && queued > 0u) {
        taken++;
        queue++;
        queued--;
    }
    registers.state = queued > 0u ? MPS2_UART_STATE_RX_FULL : 0u;
    registers.data = queued > 0u ? *queue : 0u;
    return &registers;
}

void trace_uart_raise_tx(void)
{
}

/* The drain waits for room; the UART must wake it, but not before half of the ring is free. */
static uint32_t woken;
static bool woken_early;

bool tt_drain_waits(void)
{
    return true;
}

void tt_port_notify_drain(void)
{
    woken++;
    woken_early = woken_early || byte_ring_used(&uart.tx) > sizeof tx_bytes / 2u;
}

#define EXPECT(holds)                                                                              \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            printf("line %d: %s\n", __LINE__, #holds);                                             \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

/* Serve interrupts of a transmitter that accepts `count` bytes each time until no bytes remain.
 * Returns false if an interrupt sent more than `count` or TRACE_UART_BYTES_AT_ONCE bytes, or if
 * bytes remain.
 */
static bool send_by(uint32_t count)
{
    uint32_t idle = 0;
    sending = true;
    while (idle < 2u) {
        uint32_t before = sent_count;
        registers.data = NO_BYTE;
        accepts = count;
        trace_uart_tx_handler();
        (void)uart_before_access(); /* the last byte */
        uint32_t now = sent_count - before;
        if (now > count || now > TRACE_UART_BYTES_AT_ONCE) {
            return false;
        }
        idle = now == 0u ? idle + 1u : 0u;
    }
    accepts = 1;
    registers.data = NO_BYTE;
    bool done = trace_uart_sent();
    sending = false;
    return done;
}

/* Bytes of all values pass the ring in order, wherever it wraps and however many the transmitter
 * accepts: put by the drain, or stored in lent memory and committed. */
static int check_sending(const tt_link_t *link)
{
    static uint8_t bytes[2048];
    for (uint32_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 7u + i / 256u);
    }
    for (uint32_t round = 0; round < 40u; round++) {
        uint32_t count = 1u + round * (sizeof tx_bytes / 40u);
        sent_count = 0;
        woken = 0;
        if (round % 2u == 0u) {
            link->put(link->context, bytes, count);
        } else {
            for (uint32_t done = 0; done < count;) {
                uint8_t *to;
                uint32_t piece = link->acquire(link->context, done, &to);
                EXPECT(piece != 0u);
                piece = piece < count - done ? piece : count - done;
                memcpy(to, bytes + done, piece);
                done += piece;
            }
            EXPECT(trace_uart_sent()); /* lent memory is not sent */
            link->commit(link->context, count);
        }
        EXPECT(send_by(1u + round % 20u));
        EXPECT(sent_count == count);
        EXPECT(woken != 0u && !woken_early);
        EXPECT(memcmp(sent, bytes, count) == 0);
        EXPECT(link->room_bytes(link->context) == sizeof tx_bytes);
    }
    return 0;
}

int main(void)
{
    static const uint8_t command[] = "a command of several bytes";
    uint8_t received[sizeof command];
    const tt_link_t *link = trace_uart_link();

    /* All bytes arrived together: one interrupt. */
    queue = command;
    queued = sizeof command;
    trace_uart_rx_handler();
    EXPECT(link->get(link->context, received, sizeof received) == sizeof command);
    EXPECT(memcmp(received, command, sizeof command) == 0);

    /* An interrupt without a byte stores nothing. */
    trace_uart_rx_handler();
    EXPECT(link->get(link->context, received, sizeof received) == 0u);

    /* One byte per interrupt, as with a UART without a queue. */
    for (uint32_t i = 0; i < sizeof command; i++) {
        queue = &command[i];
        queued = 1;
        trace_uart_rx_handler();
    }
    EXPECT(link->get(link->context, received, sizeof received) == sizeof command);
    EXPECT(memcmp(received, command, sizeof command) == 0);
    return check_sending(link);
}
