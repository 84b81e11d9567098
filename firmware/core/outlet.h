/*
 * core/outlet.h - where frames leave: the link, and the count of frames. Drain thread only.
 */
#ifndef TICKERTAPE_CORE_OUTLET_H
#define TICKERTAPE_CORE_OUTLET_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"
#include "ring.h"
#include "tickertape/tickertape.h"

#define TT_RING_COUNT (TT_CONFIG_STREAMS * TT_CONFIG_CPUS)

/* Rings by number, all CPUs of stream 0 first. */
static inline tt_ring_t *tt_ring_at(uint32_t index)
{
    return &tt_rings[index / TT_CONFIG_CPUS][index % TT_CONFIG_CPUS];
}

/* Send over this link from now on, counting frames from 0. */
void tt_outlet_reset(const tt_link_t *link);

/* The link in use, NULL before tt_init(). */
const tt_link_t *tt_outlet_link(void);

/* True when the link takes a frame with a body of so many bytes; false before tt_init(). */
bool tt_outlet_has_room(uint32_t body_bytes);

/* Begin a frame; tt_frame_add() goes on with it, tt_outlet_end() ends it. */
void tt_outlet_begin(tt_frame_t *frame, tt_frame_type_t type, uint32_t stream, uint32_t cpu);
void tt_outlet_end(tt_frame_t *frame);

/* Bytes of all frames so far, modulo 2^32. */
uint32_t tt_outlet_sent_bytes(void);

/* What is to be announced, a bit each: HELLO and STATUS of each ring and, of the names, ... */
#define TT_ANNOUNCE_PERIODIC 1u /* ... a part, as far as the link has room for it */
#define TT_ANNOUNCE_STATUS   2u /* ... none, now, with the counters of classes */
#define TT_ANNOUNCE_NAMES    4u /* ... all, now */
#define TT_ANNOUNCE_ALL      (TT_ANNOUNCE_STATUS | TT_ANNOUNCE_NAMES)

/* Ask for a round of announcements. Any context. */
void tt_announce_ask(uint32_t kind);

/* Forget every round; only the target is known. */
void tt_announce_reset(const tt_target_t *target);

/*
 * Send the next frame of the round; begin one when there is none and somebody asked. `now`: only
 * what was asked for now. `spare`: the link has nothing else to do, so a frame may be long. Returns
 * false when there is nothing to send, or no room.
 */
bool tt_announce_step(bool now, bool spare);
bool tt_announce_done(void);

/* Streams have no names any more. */
void tt_stream_reset(void);

/* Send the counters of one ring, and those of its first `class_count` classes; they are final when
 * nothing waits and nothing can come. */
bool tt_send_status(uint32_t ring_index, uint32_t class_count);

/* Send the records of a buffer that was taken; tt_send_buffer_room() says that it fits. */
bool tt_send_buffer_room(void);
void tt_send_buffer(uint32_t ring_index, const tt_buffer_t *buffer);
void tt_send_reset(void);

/* The same, packed without looking at the clock: one frame, more when the buffer has more kinds of
 * records than a body takes. Writes over the records. Where TT_CONFIG_PACKING is 1. */
void tt_send_packed(uint32_t ring_index, const tt_buffer_t *buffer);

#endif
