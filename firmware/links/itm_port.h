/*
 * links/itm_port.h - one stimulus port of the ITM as a carrier of bytes, and its pin.
 *
 * The drain's frames go to one port; the others are the application's (itm_port_write()). A port
 * that accepts nothing within ITM_PORT_TRIES polls keeps the bytes waiting: the ring of the link
 * fills, the recorder loses records by its policy, and its receipts count them.
 */
#ifndef LINKS_ITM_PORT_H
#define LINKS_ITM_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "byte_ring.h"
#include "itm_registers.h"
#include "tickertape/language.h"

TT_C_BEGIN

/* Polls of a port before the rest waits for the next turn: 20000 are some ms. */
#ifndef ITM_PORT_TRIES
#define ITM_PORT_TRIES 20000u
#endif

typedef struct itm_port {
    itm_registers_t *itm;
    uint32_t number;  /* 0 to 31; 0 is the console of many tools */
    uint32_t refused; /* how often it did not become ready */
} itm_port_t;

/* True when the ITM and this port are switched on. Any context. */
bool itm_port_is_on(const itm_port_t *port);

/*
 * Send one packet of 1, 2 or 4 bytes, the low ones of `value`, waiting for the port. False when it
 * is off, or does not become ready; nothing was sent then. One context at a time for each port.
 */
bool itm_port_write(itm_port_t *port, uint32_t value, uint32_t count);

/* Send what waits in a ring, four bytes at a time. False when the port does not take all. The
 * reader of the ring, which may be interrupted. */
bool itm_port_send(itm_port_t *port, byte_ring_t *ring);

/* Switch a port on, and the ITM: with packets of the DWT, without local time stamps. TRCENA (DEMCR)
 * is on. */
void itm_port_enable(const itm_port_t *port);

/*
 * Let the pin send asynchronous bytes (NRZ) without the formatter. Returns the rate, the nearest to
 * `baud` that the prescaler reaches from `clock_hz`, the processor's clock; neither is 0. TRCENA is
 * on, and the chip has connected the pin.
 */
uint32_t swo_start(tpiu_registers_t *tpiu, uint32_t clock_hz, uint32_t baud);

TT_C_END

#endif
