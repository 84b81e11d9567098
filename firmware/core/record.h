/* core/record.h - writing records, for the core itself. The public side is tickertape/emit.h. */
#ifndef TICKERTAPE_CORE_RECORD_H
#define TICKERTAPE_CORE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/combine.h"

/*
 * Write one record into the streams of `route`, which has no other bits, under a new time stamp or,
 * for a further record of a combine event, under the one at `time`. Returns the time stamp. Any
 * context.
 */
uint32_t tt_record_words(const uint32_t words[2], uint32_t header, uint32_t route,
                         const uint32_t *time);

/*
 * combine.c: write BEGIN, with the two words gathered so far unless the event gets a key, under a
 * new time stamp or the one at `time`. Returns false when it got one: the words are still to be
 * written. Any context.
 */
bool tt_combine_write_begin(tt_combine_t *combine, const uint32_t *time);

/*
 * Whether an event that has ended is not whole because its thread has moved to another CPU. If so,
 * the streams of `route` learn that it is recorded again, which the caller does. Any context.
 */
bool tt_combine_moved(const tt_combine_t *combine, uint32_t route);

#endif
