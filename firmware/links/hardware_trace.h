/*
 * links/hardware_trace.h - what the processor's trace unit reports by itself: writes of variables,
 * exceptions, samples of the program counter.
 *
 * The packets leave by the pin of an SWO link beside the recorder's frames, without an instruction
 * of the program. The host joins both by announcements, which the target writes to a stimulus port
 * of their own: words of 32 bits,
 *
 *     HARDWARE_ANNOUNCE_TIME        ticks low, ticks high, tick_hz, stamp_hz, check
 *     HARDWARE_ANNOUNCE_WATCH + n   address, bytes (0: comparator n watches nothing), check
 *
 * `ticks` is the recorder's clock right before the first word is written; stamp_hz the rate of the
 * local time stamps. The check makes the exclusive or of all words HARDWARE_CHECK. They are written
 * at the start, with each change and ten times a second, by the drain; the port takes a word within
 * ITM_PORT_TRIES polls, or the rest of the announcement is not written.
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

/* What hardware_trace_start() switches on. */
#define HARDWARE_TRACE_EXCEPTIONS 1u
#define HARDWARE_TRACE_SAMPLES    2u

/* How far a watch has come; callers and the drain hand it to each other. */
typedef enum hardware_watch_state {
    HARDWARE_WATCH_FREE,   /* not ours */
    HARDWARE_WATCH_WANTED, /* the drain announces it and switches it on */
    HARDWARE_WATCH_ON,
    HARDWARE_WATCH_ENDED, /* the drain announces that */
} hardware_watch_state_t;

typedef struct hardware_watch {
    uint32_t begin;
    uint32_t bytes;
    uint8_t state; /* hardware_watch_state_t; atomic accesses only */
} hardware_watch_t;

typedef struct hardware_trace {
    dwt_registers_t *dwt;
    itm_port_t port;   /* of the announcements */
    uint32_t stamp_hz; /* of the processor; local time stamps have no prescaler. 0: not set up */
    uint32_t tick_hz;  /* of tt_clock_now() */
    uint64_t announced;
    hardware_watch_t watch[DWT_COMPARATORS];
    bool is_on;
} hardware_trace_t;

/*
 * Switch local time stamps on, and what `what` names; announce the time. The recorder is
 * initialised, `port` enabled (itm_port_enable()), stamp_hz and tick_hz are set. `sample_cycles`:
 * cycles between two samples, rounded up to what the unit can do, 64 to 16384. The context of the
 * drain.
 */
void hardware_trace_start(hardware_trace_t *trace, uint32_t what, uint32_t sample_cycles);

/* As tt_watch_memory() and tt_watch_end(). */
int hardware_trace_watch(hardware_trace_t *trace, uint32_t begin, uint32_t bytes);
int hardware_trace_watch_end(hardware_trace_t *trace, int comparator);

/* Switch wanted watches on; announce what has changed, and everything ten times a second.
 * Starts the trace for the first watch. The context of the drain. */
void hardware_trace_poll(hardware_trace_t *trace);

TT_C_END

#endif
