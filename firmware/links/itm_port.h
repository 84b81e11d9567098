/*
 * links/itm_port.h - send bytes through a stimulus port of the ITM, and set up the SWO pin.
 *
 * The drain sends its frames to one port; the application may use the others (itm_port_write()). If
 * a port accepts nothing within ITM_PORT_TRIES polls, the bytes stay in the ring of the link. When
 * the ring is full, the recorder loses records according to its policy, and its receipts count
 * them.
 */
#ifndef LINKS_ITM_PORT_H
#define LINKS_ITM_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "byte_ring.h"
#include "itm_registers.h"
#include "tickertape/language.h"

TT_C_BEGIN

/* Polls of a port before the rest waits for the next call; 20000 take some ms. */
#ifndef ITM_PORT_TRIES
#define ITM_PORT_TRIES 20000u
#endif

typedef struct itm_port {
    itm_registers_t *itm;
    uint32_t number;  /* 0 to 31; many tools use port 0 as a console */
    uint32_t refused; /* how often the port did not become ready */
} itm_port_t;

/* Return true when the ITM and this port are enabled. Any context. */
bool itm_port_is_on(const itm_port_t *port);

/*
 * Send one packet of `count` bytes, 1, 2 or 4, the low ones of `value`, after waiting for the port.
 * Returns false, and sends nothing, when the port is disabled or does not become ready. One context
 * at a time for each port.
 */
bool itm_port_write(itm_port_t *port, uint32_t value, uint32_t count);

/* Send all bytes of a ring, four at a time. Returns false when the port does not accept all. Called
 * by the reader of the ring, which may be interrupted. */
bool itm_port_send(itm_port_t *port, byte_ring_t *ring);

/* Enable the ITM with packets of the DWT and without local time stamps, and a port. Only privileged
 * code may then write to the eight ports of its group: the MPU does not guard them. TRCENA (DEMCR)
 * is set. */
void itm_port_enable(const itm_port_t *port);

/*
 * Set up the pin to send asynchronous bytes (NRZ) without the formatter. Returns the rate used, the
 * nearest to `baud` that the prescaler can derive from the processor's clock `clock_hz`; neither is
 * 0. TRCENA is set, and the chip has connected the pin.
 */
uint32_t swo_start(tpiu_registers_t *tpiu, uint32_t clock_hz, uint32_t baud);

TT_C_END

#endif
