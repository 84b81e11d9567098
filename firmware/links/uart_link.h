/*
 * links/uart_link.h - the work of a UART's interrupt over two byte rings, for a UART whose
 * registers four functions access.
 *
 * Errors (overrun, framing, noise, parity) keep the interrupt of most UARTs pending until the data
 * register is read, also when no byte waits there. Each call therefore reads the data register for
 * an error too, and drops what it reads if no byte has arrived. The CRC of the damaged frame fails.
 */
#ifndef LINKS_UART_LINK_H
#define LINKS_UART_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "byte_ring.h"
#include "tickertape/language.h"

TT_C_BEGIN

/* Bits of the state of a UART. */
#define UART_LINK_RECEIVED 1u /* a byte waits in the data register */
#define UART_LINK_ROOM     2u /* the UART takes another byte */
#define UART_LINK_ERROR    4u /* an error, which reading the data register clears */

/* Bytes that one call receives at most, so that a faulty UART cannot keep the processor. */
#define UART_LINK_BYTES_AT_ONCE 64u

/* Access to the registers. Called by the interrupt; write() and interrupt_when_room() by the drain
 * too. */
typedef struct uart_link_registers {
    uint32_t (*state)(void);     /* UART_LINK_ bits */
    uint8_t (*read)(void);       /* the data register; clears errors after state() */
    void (*write)(uint8_t byte); /* while state() contains UART_LINK_ROOM */
    void (*interrupt_when_room)(bool enable);
} uart_link_registers_t;

/* Move the bytes that have arrived to `rx`, and clear errors. Without room in the ring a byte is
 * lost; the CRC of its frame then fails. The UART's interrupt. */
void uart_link_receive(const uart_link_registers_t *registers, byte_ring_t *rx);

/* Send contiguous bytes of `tx` while the UART takes them. Returns false if there was nothing to
 * send. The UART's interrupt, or the drain if the interrupt does not send. */
bool uart_link_send(const uart_link_registers_t *registers, byte_ring_t *tx);

/* Serve an interrupt: receive, then send, and disable the interrupt for room if nothing is left to
 * send. Any cause, also a spurious one. */
void uart_link_serve(const uart_link_registers_t *registers, byte_ring_t *rx, byte_ring_t *tx);

TT_C_END

#endif
