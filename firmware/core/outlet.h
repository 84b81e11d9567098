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

/* True when the link takes a frame with a body of so many bytes. */
bool tt_outlet_has_room(uint32_t body_bytes);

/* Begin a frame; tt_frame_add() and tt_frame_end() go on with it. */
void tt_outlet_begin(tt_frame_t *frame, tt_frame_type_t type, uint32_t stream, uint32_t cpu);

/* Send everything that is known of a target, beginning with HELLO. */
void tt_announce_begin(const tt_target_t *target);

/* Send the next frame of that. False when there is none, or no room. */
bool tt_announce_step(void);
bool tt_announce_done(void);

/* Streams have no names any more. */
void tt_stream_reset(void);

/* Send the counters of one ring; they are final when nothing waits and nothing can come. */
bool tt_send_status(uint32_t ring_index);

/* Send the records of a buffer that was taken; tt_send_buffer_room() says that it fits. */
bool tt_send_buffer_room(void);
void tt_send_buffer(uint32_t ring_index, const tt_buffer_t *buffer);
void tt_send_reset(void);

/* The same, packed without looking at the clock: one frame, more when the buffer has more kinds of
 * records than a body takes. Writes over the records. Where TT_CONFIG_PACKING is 1. */
void tt_send_packed(uint32_t ring_index, const tt_buffer_t *buffer);

#endif
