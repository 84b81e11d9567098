/*
 * links/dwt_clock.h - start the cycle counter of the processor as the clock of the events, and
 * check that a counter counts.
 */
#ifndef LINKS_DWT_CLOCK_H
#define LINKS_DWT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "dwt_registers.h"

/* Bit of DEMCR that enables the unit. */
#define DWT_DEMCR        ((volatile uint32_t *)0xe000edfcu)
#define DWT_DEMCR_TRCENA (1u << 24)
#define DWT_REGISTERS    ((dwt_registers_t *)0xe0001000u)

/* Readings of a counter until it counts as stopped: more than a tick of 1 kHz takes at 1 GHz. */
#define DWT_TRIES 1000000u

/* Return whether a counter counts, any counter, which `ticks` reads. Takes a tick of the counter;
 * some ms if it is stopped. Before the kernel runs, or threads. */
static inline bool dwt_counts(uint32_t (*ticks)(void))
{
    uint32_t before = ticks();
    for (uint32_t i = 0; i < DWT_TRIES; i++) {
        if (ticks() != before) {
            return true;
        }
    }
    return false;
}

/*
 * Start the cycle counter. A Cortex-M7 refuses writes to the unit until its lock is opened; other
 * processors have no lock and ignore the key. Returns false when the processor has no cycle counter
 * or refuses to start it. Privileged code.
 */
static inline bool dwt_start(dwt_registers_t *dwt, volatile uint32_t *demcr)
{
    *demcr = *demcr | DWT_DEMCR_TRCENA; /* C++20 deprecates |= */
    dwt->lar = DWT_UNLOCK;
    if ((dwt->ctrl & DWT_CTRL_NO_CYCCNT) != 0u) {
        return false;
    }
    dwt->ctrl = dwt->ctrl | DWT_CTRL_CYCCNT_ON;
    return (dwt->ctrl & DWT_CTRL_CYCCNT_ON) != 0u;
}

#endif
