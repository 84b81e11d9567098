/* core/clock.h - 64-bit time from the 32-bit tick counter. */
#ifndef TICKERTAPE_CORE_CLOCK_H
#define TICKERTAPE_CORE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Set 64-bit time to the present value of the counter; its earlier wraps are unknown. Called by
 * tt_init(). */
void tt_clock_reset(void);

/*
 * Return the 64-bit time of `now`, a reading of tt_port_ticks(). Any CPU, with interrupts masked
 * since `now` was read. Correct if at least one CPU calls it once in every 2^30 ticks.
 */
uint64_t tt_clock_extend(uint32_t now);

/*
 * Compare the clock with another one, by which `elapsed_ticks` have passed since the last call, in
 * ticks of this clock. Returns true once, when the clock lags by more than an eighth of four
 * seconds (`tick_hz` ticks each): it stops at times, or its rate is wrong. After TT_CLOCK_LONGEST
 * between two calls the comparison begins again. One context at a time.
 */
bool tt_clock_falls_behind(uint64_t elapsed_ticks, uint32_t tick_hz);

/* True since tt_clock_falls_behind() has returned true. Any context. */
extern _Atomic bool tt_clock_stops;

#endif
