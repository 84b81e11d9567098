/* core/send.h - buffers as frames: raw or packed. Drain thread only. */
#ifndef TICKERTAPE_CORE_SEND_H
#define TICKERTAPE_CORE_SEND_H

#include <stdbool.h>
#include <stdint.h>

#include "ring.h"

/* Forget a buffer that is being sent. */
void tt_send_reset(void);

/* True when the link has room to begin with a buffer. */
bool tt_send_buffer_room(void);

/* Begin with the first `count` records, at most TT_SLICE_RECORDS, of those that a buffer describes
 * which was taken. Buffer and records stay as they are until tt_send_go_on() has sent them; packing
 * then has written over the records. tt_send_buffer_room() has returned true. */
void tt_send_begin(uint32_t ring_index, const tt_buffer_t *buffer, tt_record_t *records,
                   uint32_t count);

/* True while a buffer is being sent. */
bool tt_send_busy(void);

/* Send what the link has room for. True when the whole buffer was handed over. */
bool tt_send_go_on(void);

/* As tt_send_begin() for all records, packed without reading the clock. Where TT_CONFIG_PACKING
 * is 1. */
void tt_send_begin_packed(uint32_t ring_index, const tt_buffer_t *buffer, tt_record_t *records);

#endif
