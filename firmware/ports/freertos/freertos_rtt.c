/* Link over RTT: rings in memory that a debug probe reads (links/rtt_link.h). */
#include "FreeRTOS.h"

#include "rtt_link.h"
#include "tickertape/link.h"

#ifndef TT_FREERTOS_RTT_BYTES
#define TT_FREERTOS_RTT_BYTES 4096
#endif

#define DOWN_BYTES 256u /* commands of the host */

_Static_assert(TT_FREERTOS_RTT_BYTES > TT_LINK_LEAST_BYTES,
               "tickertape: TT_FREERTOS_RTT_BYTES is less than one frame");

static rtt_control_t control;
static rtt_link_t rtt;
static uint8_t up[TT_FREERTOS_RTT_BYTES];
static uint8_t down[DOWN_BYTES];
static tt_freertos_link_t link;

const tt_freertos_link_t *tt_freertos_rtt(void)
{
    const tt_link_t *opened = rtt_link_open(&rtt, &control, up, sizeof up, down, sizeof down);
    link = (tt_freertos_link_t){
        .context = opened->context,
        .room_bytes = opened->room_bytes,
        .put = opened->put,
        .get = opened->get,
    };
    return &link;
}
