#include "frame.h"

#include "tickertape/crc.h"

uint32_t tt_frame_worst_bytes(uint32_t body_bytes)
{
    return TT_FRAME_BYTES(body_bytes);
}

/* COBS: a block is its length + 1, then that many bytes, none of them 0; a 0 of the data ends a
 * block and is not sent, except behind a block of 254 bytes, which stands for itself. */
static void put_block(tt_frame_t *frame)
{
    frame->block[0] = (uint8_t)(frame->block_bytes + 1u);
    frame->link->put(frame->link->context, frame->block, frame->block_bytes + 1u);
    frame->sent_bytes += frame->block_bytes + 1u;
    frame->block_bytes = 0;
}

static void add_encoded(tt_frame_t *frame, uint8_t byte)
{
    if (frame->block_bytes == TT_COBS_BLOCK_BYTES) {
        put_block(frame);
    }
    if (byte == 0u) {
        put_block(frame);
        return;
    }
    frame->block[++frame->block_bytes] = byte;
}

void tt_frame_add(tt_frame_t *frame, const void *bytes, uint32_t count)
{
    const uint8_t *from = bytes;
    frame->crc = tt_crc32_update(frame->crc, from, count);
    for (uint32_t i = 0; i < count; i++) {
        add_encoded(frame, from[i]);
    }
}

void tt_frame_begin(tt_frame_t *frame, const tt_link_t *link, const tt_wire_frame_header_t *header)
{
    frame->link = link;
    frame->crc = TT_CRC32_START;
    frame->block_bytes = 0;
    frame->sent_bytes = 0;
    tt_frame_add(frame, header, sizeof *header);
}

void tt_frame_end(tt_frame_t *frame)
{
    const uint8_t delimiter = 0;
    uint32_t crc = ~frame->crc;
    const uint8_t crc_bytes[4] = {(uint8_t)crc, (uint8_t)(crc >> 8), (uint8_t)(crc >> 16),
                                  (uint8_t)(crc >> 24)};
    tt_frame_add(frame, crc_bytes, sizeof crc_bytes);
    put_block(frame);
    frame->link->put(frame->link->context, &delimiter, 1);
}
