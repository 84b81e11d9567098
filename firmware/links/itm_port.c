#include "itm_port.h"

#include <stddef.h>

_Static_assert(offsetof(itm_registers_t, ter) == 0xe00, "the layout of the architecture");
_Static_assert(offsetof(itm_registers_t, tpr) == 0xe40, "the layout of the architecture");
_Static_assert(offsetof(itm_registers_t, tcr) == 0xe80, "the layout of the architecture");
_Static_assert(offsetof(itm_registers_t, lar) == 0xfb0, "the layout of the architecture");
_Static_assert(offsetof(tpiu_registers_t, acpr) == 0x010, "the layout of the architecture");
_Static_assert(offsetof(tpiu_registers_t, sppr) == 0x0f0, "the layout of the architecture");
_Static_assert(offsetof(tpiu_registers_t, ffcr) == 0x304, "the layout of the architecture");

bool itm_port_is_on(const itm_port_t *port)
{
    return (port->itm->tcr & ITM_TCR_ENABLED) != 0u &&
           (port->itm->ter & (1u << port->number)) != 0u;
}

/* Wait until the port accepts a packet. Returns false at once when it is disabled, which a debugger
 * may do at any time, or after ITM_PORT_TRIES polls. */
static bool wait_until_ready(itm_port_t *port)
{
    if (!itm_port_is_on(port)) {
        return false;
    }
    for (uint32_t i = 0; i < ITM_PORT_TRIES; i++) {
        if (itm_is_ready(port->itm, port->number)) {
            return true;
        }
    }
    port->refused++;
    return false;
}

bool itm_port_write(itm_port_t *port, uint32_t value, uint32_t count)
{
    if (!wait_until_ready(port)) {
        return false;
    }
    if (count == 4u) {
        itm_put_word(port->itm, port->number, value);
    } else if (count == 2u) {
        itm_put_half(port->itm, port->number, (uint16_t)value);
    } else {
        itm_put_byte(port->itm, port->number, (uint8_t)value);
    }
    return true;
}

/* Return `count` bytes as a value, the first byte in the lowest bits. */
static uint32_t value_of(const uint8_t *bytes, uint32_t count)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; i++) {
        value |= (uint32_t)bytes[i] << (8u * i);
    }
    return value;
}

bool itm_port_send(itm_port_t *port, byte_ring_t *ring)
{
    const uint8_t *bytes;
    uint32_t left;
    while ((left = byte_ring_peek(ring, &bytes)) != 0u) {
        const uint32_t count = left >= 4u ? 4u : left >= 2u ? 2u : 1u;
        if (!itm_port_write(port, value_of(bytes, count), count)) {
            return false;
        }
        byte_ring_skip(ring, count);
    }
    return true;
}

void itm_port_enable(const itm_port_t *port)
{
    port->itm->lar = ITM_UNLOCK;
    port->itm->tcr = ITM_TCR_ENABLED | ITM_TCR_SYNC | ITM_TCR_DWT | ITM_TCR_TRACE_ID_1;
    port->itm->tpr |= 1u << (port->number / 8u); /* no guest forges or damages frames */
    port->itm->ter |= 1u << port->number;
}

uint32_t swo_start(tpiu_registers_t *tpiu, uint32_t clock_hz, uint32_t baud)
{
    uint32_t prescaler = clock_hz / baud + (clock_hz % baud >= (baud + 1u) / 2u ? 1u : 0u);
    prescaler = prescaler == 0u ? 1u : prescaler;
    prescaler = prescaler > TPIU_MOST_PRESCALER ? TPIU_MOST_PRESCALER : prescaler;
    tpiu->cspsr = 1;
    tpiu->sppr = TPIU_SPPR_NRZ;
    tpiu->acpr = prescaler - 1u;
    tpiu->ffcr = TPIU_FFCR_TRIGGER_IN;
    return clock_hz / prescaler;
}
