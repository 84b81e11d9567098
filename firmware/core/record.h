/* core/record.h - writing records, for the core itself. The public side is tickertape/emit.h. */
#ifndef TICKERTAPE_CORE_RECORD_H
#define TICKERTAPE_CORE_RECORD_H

#include <stdint.h>

/* Write the first record of a combine event and return its time stamp. Any context. */
uint32_t tt_record_begin(uint32_t header, uint32_t route, uint32_t data0, uint32_t data1);

/* Write a further record of a combine event under its time stamp. Any context. */
void tt_record_part(uint32_t header, uint32_t route, uint32_t time, const uint32_t words[2]);

/* Record a CONTROL TIME anchor in the streams of `route`, whatever they have selected. */
void tt_record_control_time(uint32_t route, uint64_t ticks);

#endif
