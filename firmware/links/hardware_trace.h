/*
 * links/hardware_trace.h - packets of the processor's trace unit: writes of variables, exceptions,
 * samples of the program counter.
 *
 * The pin of an SWO link sends these packets between the recorder's frames; the program executes no
 * instruction for them. Announcements connect both on the host. The target writes them to a
 * stimulus port of their own, as words of 32 bits:
 *
 *     HARDWARE_ANNOUNCE_TIME        ticks low, ticks high, tick_hz, stamp_hz, check
 *     HARDWARE_ANNOUNCE_WATCH + n   address, bytes (0: comparator n watches nothing), check
 *
 * `ticks` is the recorder's time just before the first word is written, stamp_hz the rate of the
 * local time stamps. `check` makes the XOR of all words HARDWARE_CHECK. The drain writes
 * announcements at the start, after each change and ten times a second. If the port does not accept
 * a word within ITM_PORT_TRIES polls, the rest of the announcement is not written.
 */
#ifndef LINKS_HARDWARE_TRACE_H
#define LINKS_HARDWARE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "dwt_registers.h"
#include "itm_port.h"
#include "tickertape/language.h"

TT_C_BEGIN

#define HARDWARE_ANNOUNCE_TIME  0x74740100u
#define HARDWARE_ANNOUNCE_WATCH 0x74740200u
#define HARDWARE_CHECK          0x7469636bu

/* Packets that hardware_trace_start() enables. */
#define HARDWARE_TRACE_EXCEPTIONS 1u
#define HARDWARE_TRACE_SAMPLES    2u

/* States of a watch. Callers request a watch and its end; the drain executes both. */
typedef enum hardware_watch_state {
    HARDWARE_WATCH_FREE,   /* not used by the recorder */
    HARDWARE_WATCH_WANTED, /* the drain announces and enables it next */
    HARDWARE_WATCH_ON,
    HARDWARE_WATCH_ENDED, /* the drain announces its end next */
} hardware_watch_state_t;

typedef struct hardware_watch {
    uint32_t begin;
    uint32_t bytes;
    uint8_t state; /* hardware_watch_state_t; atomic accesses only */
} hardware_watch_t;

typedef struct hardware_trace {
    dwt_registers_t *dwt;
    itm_port_t port;   /* stimulus port of the announcements */
    uint32_t stamp_hz; /* rate of local time stamps, that of the processor; 0: not set up */
    uint32_t tick_hz;  /* rate of tt_clock_now(), Hz */
    uint64_t announced;
    hardware_watch_t watch[DWT_COMPARATORS];
    bool is_on;
} hardware_trace_t;

/*
 * Enable local time stamps and the packets of `what` (HARDWARE_TRACE_ bits), and announce the time.
 * The recorder is initialised, `port` enabled (itm_port_enable()), stamp_hz and tick_hz are set.
 * `sample_cycles`: cycles between two samples, 64 to 16384, rounded up to a value that the unit
 * supports. Drain thread only.
 */
void hardware_trace_start(hardware_trace_t *trace, uint32_t what, uint32_t sample_cycles);

/* Implement tt_watch_memory() and tt_watch_end(), with their context and results. */
int hardware_trace_watch(hardware_trace_t *trace, uint32_t begin, uint32_t bytes);
int hardware_trace_watch_end(hardware_trace_t *trace, int comparator);

/* Enable requested watches, announce changes, and announce everything ten times a second. Starts
 * the trace for the first watch. Drain thread only. */
void hardware_trace_poll(hardware_trace_t *trace);

TT_C_END

#endif
