/*
 * core/frame.h - encode one frame: header, body and CRC-32, in COBS.
 *
 * If the link lends memory, the encoder writes the frame there. When the link is full, the encoder
 * hands over all closed blocks of COBS, keeps the open one and returns; the caller continues when
 * the link has room again. This never happens to a caller that has checked that the link has room
 * for the whole frame (tt_frame_worst_bytes()). Drain thread only.
 */
#ifndef TICKERTAPE_CORE_FRAME_H
#define TICKERTAPE_CORE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/link.h"
#include "tickertape/wire.h"

/* Largest size of a COBS block: the length byte and 254 bytes other than 0. */
#define TT_COBS_BLOCK_BYTES 255u

typedef struct tt_frame {
    const tt_link_t *link;
    uint32_t crc;
    uint8_t *code;       /* place of the open block's length byte */
    uint32_t split;      /* bytes of that block in the previous piece; 0: none */
    uint8_t *out;        /* place of the next byte */
    uint8_t *limit;      /* end of the room in the piece and in the block */
    uint8_t *piece;      /* the memory being written */
    uint8_t *end;        /* end of the piece */
    uint32_t ahead;      /* bytes lent but not committed before the piece, modulo 2^32 */
    uint32_t sent_bytes; /* bytes that the link has taken */
    enum {
        TT_FRAME_OPEN,
        TT_FRAME_IN_CRC,
        TT_FRAME_WHOLE
    } state;
    uint8_t crc_bytes[4]; /* in TT_FRAME_IN_CRC the last `crc_left` of them are not added yet */
    uint32_t crc_left;
#if TT_CONFIG_COPYING_LINK
    uint32_t room;                         /* room that the link has reported, not used yet */
    uint8_t own[TT_COBS_BLOCK_BYTES + 1u]; /* the piece, if the link lends none */
#endif
} tt_frame_t;

/* Return the largest number of bytes on the link for a body of `body_bytes`: header, body, CRC,
 * COBS overhead and delimiter. */
uint32_t tt_frame_worst_bytes(uint32_t body_bytes);

/* Begin a frame. The link has room for its header and a block of COBS. */
void tt_frame_begin(tt_frame_t *frame, const tt_link_t *link, const tt_wire_frame_header_t *header);

/* Set the room, in bytes, that the link has reported last, so that the encoder need not read it
 * again. Has an effect only on a link without memory of its own. */
static inline void tt_frame_has_room(tt_frame_t *frame, uint32_t room_bytes)
{
#if TT_CONFIG_COPYING_LINK
    frame->room = room_bytes;
#else
    (void)frame;
    (void)room_bytes;
#endif
}

/* Add up to `count` bytes to the frame. Returns how many were added: fewer when the link has no
 * room. */
uint32_t tt_frame_add(tt_frame_t *frame, const void *bytes, uint32_t count);

/* End the frame. Returns false when the link has no room for the rest: call it again. */
bool tt_frame_end(tt_frame_t *frame);

/* Return the number of encoded bytes that are in the memory of the link but not committed. */
uint32_t tt_frame_kept_bytes(const tt_frame_t *frame);

#endif
