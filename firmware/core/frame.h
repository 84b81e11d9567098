/*
 * core/frame.h - one frame on the link: header, body, CRC-32, all of it COBS-encoded.
 *
 * A frame is encoded where the link sends it from, if the link lends that memory. When the link is
 * full, the encoder hands over all blocks of COBS that are closed, keeps the open one and returns;
 * the caller goes on when the link has room again. A caller that has checked that the link has room
 * for the whole frame (tt_frame_worst_bytes) never has to. Drain thread only.
 */
#ifndef TICKERTAPE_CORE_FRAME_H
#define TICKERTAPE_CORE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/link.h"
#include "tickertape/wire.h"

/* Bytes of a COBS block: its length, and data without 0. */
#define TT_COBS_BLOCK_BYTES 255u

typedef struct tt_frame {
    const tt_link_t *link;
    uint32_t crc;
    uint8_t *code;       /* where the length of the open block will be */
    uint32_t split;      /* bytes of that block in the piece before; 0: all are in this one */
    uint8_t *out;        /* where the next byte goes */
    uint8_t *limit;      /* up to here bytes go without asking: in the piece and in the block */
    uint8_t *piece;      /* the memory being written */
    uint8_t *end;        /* of it */
    uint32_t ahead;      /* bytes before the piece that the link does not have yet, modulo 2^32 */
    uint32_t sent_bytes; /* the link has */
    enum {
        TT_FRAME_OPEN,
        TT_FRAME_IN_CRC,
        TT_FRAME_WHOLE
    } state;
    uint8_t crc_bytes[4]; /* in TT_FRAME_IN_CRC the last `crc_left` of them are missing */
    uint32_t crc_left;
#if TT_CONFIG_COPYING_LINK
    uint32_t room;                         /* that the link has reported, and not yet used */
    uint8_t own[TT_COBS_BLOCK_BYTES + 1u]; /* the piece, where the link lends none */
#endif
} tt_frame_t;

/* Largest number of bytes on the link for a body of `body_bytes`: header, CRC, COBS overhead,
 * delimiter. */
uint32_t tt_frame_worst_bytes(uint32_t body_bytes);

/* Begin a frame: the link has room for its header and a block of COBS. */
void tt_frame_begin(tt_frame_t *frame, const tt_link_t *link, const tt_wire_frame_header_t *header);

/* State the room that the link has reported before, or since, the frame was begun: so many bytes go
 * without asking again. For links that copy; others lend what they have reported. */
static inline void tt_frame_has_room(tt_frame_t *frame, uint32_t room_bytes)
{
#if TT_CONFIG_COPYING_LINK
    frame->room = room_bytes;
#else
    (void)frame;
    (void)room_bytes;
#endif
}

/* Add up to `count` bytes to the frame; returns how many, fewer when the link has no room. */
uint32_t tt_frame_add(tt_frame_t *frame, const void *bytes, uint32_t count);

/* End the frame. False when the link has no room for all of it: call it again. */
bool tt_frame_end(tt_frame_t *frame);

/* Bytes of a frame whose encoder has returned that the link has no room, which it keeps in the
 * memory of the link. */
uint32_t tt_frame_kept_bytes(const tt_frame_t *frame);

#endif
