/* core/combine.h - combine events as the core itself writes them. */
#ifndef TICKERTAPE_CORE_COMBINE_H
#define TICKERTAPE_CORE_COMBINE_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/combine.h"

/*
 * Write BEGIN under a new time stamp or the one at `time`. BEGIN contains the two words gathered so
 * far, or the key if the event needs one; returns false then, and the words are still to be
 * written. Any context.
 */
bool tt_combine_write_begin(tt_combine_t *combine, const uint32_t *time);

/*
 * Return whether an event that has ended is incomplete because its thread moved to another CPU. If
 * so, record TRACER MOVED in the streams of `route`; the caller records the event again. Any
 * context.
 */
bool tt_combine_moved(const tt_combine_t *combine, uint32_t route);

#endif
