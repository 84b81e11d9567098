/*
 * core/frame.h - one frame on the link: header, body, CRC-32, all of it COBS-encoded.
 *
 * A frame is encoded where the link sends it from, if the link lends that memory, and handed over
 * when it is whole. The caller has checked that the link has room for the whole frame
 * (tt_frame_worst_bytes), so the encoder never waits. Drain thread only.
 */
#ifndef TICKERTAPE_CORE_FRAME_H
#define TICKERTAPE_CORE_FRAME_H

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
    uint32_t sent_bytes; /* in the pieces before; after tt_frame_end() of the whole frame */
    uint8_t own[TT_COBS_BLOCK_BYTES + 1u]; /* the piece, where the link lends none */
} tt_frame_t;

/* Largest number of bytes on the link for a body of `body_bytes`: header, CRC, COBS overhead,
 * delimiter. */
uint32_t tt_frame_worst_bytes(uint32_t body_bytes);

void tt_frame_begin(tt_frame_t *frame, const tt_link_t *link, const tt_wire_frame_header_t *header);
void tt_frame_add(tt_frame_t *frame, const void *bytes, uint32_t count);
void tt_frame_end(tt_frame_t *frame);

#endif
