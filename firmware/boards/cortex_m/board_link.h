/*
 * boards/cortex_m/board_link.h - which link carries the trace: BOARD_TRACE_LINK, for example
 * DEFINES="BOARD_TRACE_LINK=BOARD_LINK_RTT".
 */
#ifndef BOARD_LINK_H
#define BOARD_LINK_H

#define BOARD_LINK_OWN 0 /* the UART of the board, or what its trace_link.c selects */
#define BOARD_LINK_RTT 1 /* rings in memory, which a debug probe reads */

#ifndef BOARD_TRACE_LINK
#define BOARD_TRACE_LINK BOARD_LINK_OWN
#endif

/* Bytes of the ring to the host over RTT: what is sent between two looks of the probe. */
#ifndef BOARD_RTT_BYTES
#define BOARD_RTT_BYTES 4096u
#endif

#endif
