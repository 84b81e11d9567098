/*
 * A link over USB: a CDC interface of TinyUSB, which buffers the bytes. It compiles with stubs of
 * TinyUSB; it has not run on a board.
 *
 * TRACE_CDC is the number of the interface. CFG_TUD_CDC_TX_BUFSIZE (tusb_config.h) must be at least
 * TT_LINK_LEAST_BYTES. While no host reads, the recorder loses records and counts them.
 */
#include <stddef.h>

#include "FreeRTOS.h"

#include "tusb.h"

#include "tickertape/link.h"

#ifndef TRACE_CDC
#define TRACE_CDC 0
#endif

_Static_assert(CFG_TUD_CDC_TX_BUFSIZE >= TT_LINK_LEAST_BYTES, "set CFG_TUD_CDC_TX_BUFSIZE");

extern const tt_freertos_link_t trace_cdc_link;

static uint32_t room_bytes(void *context)
{
    (void)context;
    return tud_cdc_n_connected(TRACE_CDC) ? tud_cdc_n_write_available(TRACE_CDC) : 0u;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)tud_cdc_n_write(TRACE_CDC, bytes, count);
}

static uint32_t get(void *context, uint8_t *bytes, uint32_t count)
{
    (void)context;
    return tud_cdc_n_read(TRACE_CDC, bytes, count);
}

static void kick(void *context)
{
    (void)context;
    (void)tud_cdc_n_write_flush(TRACE_CDC);
}

const tt_freertos_link_t trace_cdc_link = {
    .room_bytes = room_bytes,
    .put = put,
    .get = get,
    .kick = kick,
};
