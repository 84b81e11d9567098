/*
 * core/plain.h - frames in memory that the host reads: a head, then header and body as they are.
 *
 * Nothing damages such frames on the way, so they have no CRC and no COBS (protocol/SPEC.md,
 * "Frames in memory"). frame.c calls these where tt_link_t.plain is true. Drain thread only.
 */
#ifndef TICKERTAPE_CORE_PLAIN_H
#define TICKERTAPE_CORE_PLAIN_H

#include <stdint.h>

#include "frame.h"

/* Begin a frame in `frame->link`, add bytes, complete the head and commit. */
void tt_plain_begin(tt_frame_t *frame);
void tt_plain_add(tt_frame_t *frame, const uint8_t *bytes, uint32_t count);
void tt_plain_end(tt_frame_t *frame);

#endif
