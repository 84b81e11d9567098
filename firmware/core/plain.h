/*
 * core/plain.h - frames in memory that the host reads: a head, then frame header and body, not
 * encoded.
 *
 * No line damages such frames, so they have neither CRC nor COBS (protocol/SPEC.md, "Frames in
 * memory"). frame.c calls these functions if tt_link_t.plain is true. Drain thread only.
 */
#ifndef TICKERTAPE_CORE_PLAIN_H
#define TICKERTAPE_CORE_PLAIN_H

#include <stdint.h>

#include "frame.h"

/* Begin a frame in the memory of `frame->link`, add bytes, and end it: complete the head and commit
 * the frame. The link has room for the whole frame. */
void tt_plain_begin(tt_frame_t *frame);
void tt_plain_add(tt_frame_t *frame, const uint8_t *bytes, uint32_t count);
void tt_plain_end(tt_frame_t *frame);

#endif
