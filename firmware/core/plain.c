#include "plain.h"

#if TT_CONFIG_MEMORY_LINK

#include <stddef.h>

/* Acquire the next part of the link's memory and continue there. */
static void next_piece(tt_frame_t *frame)
{
    const tt_link_t *link = frame->link;
    frame->ahead += (uint32_t)(frame->out - frame->piece);
    uint32_t count = link->acquire(link->context, frame->ahead, &frame->piece);
    frame->out = frame->piece;
    frame->end = frame->piece + count;
}

/* Copy bytes, 16 at a time if both addresses are multiples of 4. The memcpy() of a C library may
 * copy byte by byte. */
static void copy(uint8_t *to, const uint8_t *from, uint32_t count)
{
    const uint8_t *end = from + count;
    if ((((uintptr_t)to | (uintptr_t)from) & 3u) == 0u) {
        for (const uint8_t *blocks_end = from + (count & ~15u); from != blocks_end; from += 16) {
            __builtin_memcpy(__builtin_assume_aligned(to, 4), __builtin_assume_aligned(from, 4),
                             16);
            to += 16;
        }
    }
    while (from != end) {
        *to++ = *from++;
    }
}

void tt_plain_begin(tt_frame_t *frame)
{
    frame->ahead = 0;
    frame->sent_bytes = 0;
    frame->piece = NULL;
    frame->out = NULL;
    next_piece(frame);
    frame->code = frame->out; /* place of the head, which tt_plain_end() writes */
    frame->out += sizeof(tt_wire_memory_frame_t);
}

void tt_plain_add(tt_frame_t *frame, const uint8_t *bytes, uint32_t count)
{
    while (count != 0u) {
        if (frame->out == frame->end) {
            next_piece(frame);
        }
        uint32_t room = (uint32_t)(frame->end - frame->out);
        uint32_t part = count < room ? count : room;
        copy(frame->out, bytes, part);
        frame->out += part;
        bytes += part;
        count -= part;
    }
}

void tt_plain_end(tt_frame_t *frame)
{
    const tt_link_t *link = frame->link;
    uint32_t bytes = frame->ahead + (uint32_t)(frame->out - frame->piece);
    uint32_t frame_bytes = bytes - (uint32_t)sizeof(tt_wire_memory_frame_t);
    const tt_wire_memory_frame_t head = {
        .frame_bytes = (uint16_t)frame_bytes,
        .inverse = (uint16_t)~frame_bytes,
    };
    __builtin_memcpy(frame->code, &head, sizeof head);
    frame->sent_bytes = (bytes + 3u) & ~3u; /* a part ends at a multiple of 4 */
    link->commit(link->context, frame->sent_bytes);
}

#endif
