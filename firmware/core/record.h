/* core/record.h - writing records, for the core itself. The public side is tickertape/emit.h. */
#ifndef TICKERTAPE_CORE_RECORD_H
#define TICKERTAPE_CORE_RECORD_H

#include <stdint.h>

/*
 * Write one record into the streams of `route`, which has no other bits, under a new time stamp or,
 * for a further record of a combine event, under the one at `time`. Returns the time stamp. Any
 * context.
 */
uint32_t tt_record_words(const uint32_t words[2], uint32_t header, uint32_t route,
                         const uint32_t *time);

#endif
