/*
 * examples/storm/slow_link.h - a link in front of the board's link that takes a limited number of
 * bytes per millisecond, and none before a given time. Drain only.
 */
#ifndef STORM_SLOW_LINK_H
#define STORM_SLOW_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/link.h"

/*
 * Forward frames of the drain to `board` at `bytes_per_ms` (0: at full speed), starting `closed_ms`
 * from now. Returns the link for tt_init().
 */
const tt_link_t *slow_link_start(const tt_link_t *board, uint32_t bytes_per_ms, uint32_t closed_ms);

/* Remove both limits: the storm is over. */
void slow_link_open(void);

#endif
