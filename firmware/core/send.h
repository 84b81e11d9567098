/* core/send.h - buffers as frames: raw or packed. Drain thread only. */
#ifndef TICKERTAPE_CORE_SEND_H
#define TICKERTAPE_CORE_SEND_H

#include <stdbool.h>
#include <stdint.h>

#include "ring.h"

/* Forget a buffer being sent, and select packing as the default does. Called by tt_init(). */
void tt_send_reset(void);

/* Return true when the link has room to begin a buffer. */
bool tt_send_buffer_room(void);

/* Begin to send `count` records, 1 to TT_SLICE_RECORDS, of a buffer that the drain has taken;
 * `records` is the first of them, and the descriptor `buffer` describes it. Neither may change
 * until tt_send_go_on() returns true. Packing overwrites the records. tt_send_buffer_room() has
 * returned true. */
void tt_send_begin(uint32_t ring_index, const tt_buffer_t *buffer, tt_record_t *records,
                   uint32_t count);

/* Return true while a buffer is being sent. */
bool tt_send_busy(void);

/* Send as much as the link has room for. Returns true when all records were handed over. */
bool tt_send_go_on(void);

/* As tt_send_begin() for all records of a buffer, always packed, without reading the clock. Exists
 * if TT_CONFIG_PACKING is 1. */
void tt_send_begin_packed(uint32_t ring_index, const tt_buffer_t *buffer, tt_record_t *records);

#endif
