/*
 * core/frame.h - one frame on the link: header, body, CRC-32, all of it COBS-encoded.
 *
 * The encoder writes as it goes: the caller has made sure that the link has room for the whole
 * frame (tt_frame_worst_bytes), so nothing waits. Drain thread only.
 */
#ifndef TICKERTAPE_CORE_FRAME_H
#define TICKERTAPE_CORE_FRAME_H

#include <stdint.h>

#include "tickertape/link.h"
#include "tickertape/wire.h"

#define TT_COBS_BLOCK_BYTES 254u

typedef struct tt_frame {
    const tt_link_t *link;
    uint32_t crc;
    uint32_t block_bytes; /* data bytes in block, behind its code byte */
    uint32_t sent_bytes;  /* handed to the link so far */
    uint8_t block[1u + TT_COBS_BLOCK_BYTES];
} tt_frame_t;

/* Most bytes on the link for a body of so many: header, CRC, COBS overhead, delimiter. */
uint32_t tt_frame_worst_bytes(uint32_t body_bytes);

void tt_frame_begin(tt_frame_t *frame, const tt_link_t *link, const tt_wire_frame_header_t *header);
void tt_frame_add(tt_frame_t *frame, const void *bytes, uint32_t count);
void tt_frame_end(tt_frame_t *frame);

#endif
