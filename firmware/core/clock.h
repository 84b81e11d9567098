/* core/clock.h - 64-bit time from the 32-bit tick counter. */
#ifndef TICKERTAPE_CORE_CLOCK_H
#define TICKERTAPE_CORE_CLOCK_H

#include <stdint.h>

/* Set 64-bit time to the present value of the counter; its earlier wraps are unknown. Called by
 * tt_init(). */
void tt_clock_reset(void);

/*
 * Return the 64-bit time of `now`, a reading of tt_port_ticks(). Any CPU, with interrupts masked
 * since `now` was read. Correct if at least one CPU calls it once in every 2^30 ticks.
 */
uint64_t tt_clock_extend(uint32_t now);

#endif
