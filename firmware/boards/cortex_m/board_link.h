/*
 * boards/cortex_m/board_link.h - BOARD_TRACE_LINK selects the link that carries the trace, for
 * example DEFINES="BOARD_TRACE_LINK=BOARD_LINK_RTT".
 */
#ifndef BOARD_LINK_H
#define BOARD_LINK_H

#define BOARD_LINK_OWN 0 /* the UART of the board, or the link that its trace_link.c selects */
#define BOARD_LINK_RTT 1 /* rings in memory, which a debug probe reads */
#define BOARD_LINK_SWO 2 /* a stimulus port of the ITM; STM32F4 only */
#define BOARD_LINK_DMA 3 /* the UART, served by DMA; STM32F4 only */

#ifndef BOARD_TRACE_LINK
#define BOARD_TRACE_LINK BOARD_LINK_OWN
#endif

/* Bytes of the ring to the host over RTT. It has to hold the bytes recorded between two reads of
 * the probe. */
#ifndef BOARD_RTT_BYTES
#define BOARD_RTT_BYTES 4096u
#endif

/* Bit rate of the SWO pin, and the stimulus port. */
#ifndef BOARD_SWO_BAUD
#define BOARD_SWO_BAUD 2000000u
#endif
#ifndef BOARD_ITM_PORT
#define BOARD_ITM_PORT 1u
#endif

/* Packets that the trace unit sends over SWO: HARDWARE_TRACE_EXCEPTIONS, HARDWARE_TRACE_SAMPLES
 * (every BOARD_SAMPLE_CYCLES cycles), both, or 0: only the variables of tt_watch(). */
#ifndef BOARD_HARDWARE_TRACE
#define BOARD_HARDWARE_TRACE 0u
#endif
#ifndef BOARD_SAMPLE_CYCLES
#define BOARD_SAMPLE_CYCLES 16384u
#endif
/* Stimulus port of the trace unit's announcements (links/hardware_trace.h). */
#ifndef BOARD_ANNOUNCE_PORT
#define BOARD_ANNOUNCE_PORT 31u
#endif

#endif
