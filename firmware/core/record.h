/* core/record.h - writing records, for the core itself. The public side is tickertape/emit.h. */
#ifndef TICKERTAPE_CORE_RECORD_H
#define TICKERTAPE_CORE_RECORD_H

#include <stdint.h>

/*
 * Write one record into the streams of `route` with a new time stamp and return that: every case
 * that is not the common one of tt_record(). The filters are asked when the route says so; what
 * they refuse returns 0. Any context.
 */
uint32_t tt_record_stamped(uint32_t data0, uint32_t data1, uint32_t header, uint32_t route);

/* Write a further record of a combine event under its time stamp. Any context. */
void tt_record_part(const uint32_t words[2], uint32_t header, uint32_t route, uint32_t time);

#endif
