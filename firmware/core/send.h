/* core/send.h - buffers as frames: raw or packed. Drain thread only. */
#ifndef TICKERTAPE_CORE_SEND_H
#define TICKERTAPE_CORE_SEND_H

#include <stdbool.h>
#include <stdint.h>

#include "ring.h"

/* Send the records of a buffer that was taken, count of them and at most TT_SLICE_RECORDS.
 * tt_send_buffer_room() has returned that they fit. */
bool tt_send_buffer_room(void);
void tt_send_buffer(uint32_t ring_index, const tt_buffer_t *buffer, tt_record_t *records);
void tt_send_reset(void);

/* The same, packed without reading the clock: one frame, more when they have more kinds of
 * records than a body takes. Writes over the records. Where TT_CONFIG_PACKING is 1. */
void tt_send_packed(uint32_t ring_index, const tt_buffer_t *buffer, tt_record_t *records);

#endif
