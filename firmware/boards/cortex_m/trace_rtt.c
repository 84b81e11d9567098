/* Trace link over RTT, for every board: a debug probe reads the rings in memory. */
#include "board_link.h"

#include "board.h"
#include "rtt_link.h"
#include "startup.h"

#if BOARD_TRACE_LINK == BOARD_LINK_RTT

_Static_assert(BOARD_RTT_BYTES > TT_LINK_LEAST_BYTES, "a frame fits");

static rtt_control_t control;
static uint8_t up_bytes[BOARD_RTT_BYTES];
static uint8_t down_bytes[256]; /* fits the longest command */
static rtt_link_t rtt;

const tt_link_t *board_trace_link(void)
{
    return rtt_link_open(&rtt, &control, up_bytes, sizeof up_bytes, down_bytes, sizeof down_bytes);
}

bool board_trace_sent(void)
{
    return rtt_link_sent(&rtt);
}

void trace_link_close(void)
{
}

#endif
