/* core/combine.h - functions of the core that write combine events. */
#ifndef TICKERTAPE_CORE_COMBINE_H
#define TICKERTAPE_CORE_COMBINE_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/combine.h"

/*
 * Write BEGIN with a new time stamp, or with `*time` if `time` is not NULL. BEGIN contains the two
 * words gathered so far. If the event needs a key, BEGIN contains the key instead, and the function
 * returns false: the words are still to be written. Any context.
 */
bool tt_combine_write_begin(tt_combine_t *combine, const uint32_t *time);

/*
 * Return whether an ended event is incomplete because its thread moved to another CPU. If so,
 * record TRACER MOVED in the streams of `route`; the caller then records the event again. Any
 * context.
 */
bool tt_combine_moved(const tt_combine_t *combine, uint32_t route);

#endif
