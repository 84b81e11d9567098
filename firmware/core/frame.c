#include "frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "crc.h"
#include "plain.h"
#include "tickertape/crc.h"

/* Make the compiler treat this value as unknown from here on. */
#define KEEP(value) __asm("" : "+r"(value))

#define COMMON static inline __attribute__((always_inline))

/* Functions whose loops need all registers, so they are not inlined. */
#define ALONE static __attribute__((noinline))

uint32_t tt_frame_worst_bytes(uint32_t body_bytes)
{
    return TT_FRAME_BYTES(body_bytes);
}

/* Return the number of bytes in the open block, including its length byte. */
static uint32_t block_bytes(const tt_frame_t *frame)
{
    return frame->split == 0u ? (uint32_t)(frame->out - frame->code)
                              : frame->split + (uint32_t)(frame->out - frame->piece);
}

#if TT_CONFIG_COPYING_LINK

/* Copy the first `count` bytes to the link, as many as it takes, and keep the others. Returns the
 * number copied. The room of the link is read again only when the reported room is used up, because
 * the link may report less until then. */
static uint32_t copy_to_link(tt_frame_t *frame, uint32_t count)
{
    const tt_link_t *link = frame->link;
    if (frame->room == 0u) {
        frame->room = link->room_bytes(link->context);
    }
    count = count < frame->room ? count : frame->room;
    if (count != 0u) {
        frame->room -= count;
        link->put(link->context, frame->piece, count);
        frame->out -= count;
        frame->code -= count;
        memmove(frame->piece, frame->piece + count, (uint32_t)(frame->out - frame->piece));
        frame->sent_bytes += count;
    }
    return count;
}

#endif

/* Commit the first `count` bytes encoded in the memory of the link. */
static void commit(tt_frame_t *frame, uint32_t count)
{
    if (count != 0u) {
        frame->link->commit(frame->link->context, count);
        frame->ahead -= count;
        frame->sent_bytes += count;
    }
}

uint32_t tt_frame_kept_bytes(const tt_frame_t *frame)
{
    return frame->ahead + (uint32_t)(frame->out - frame->piece);
}

/* Continue in the next piece of the link's memory. Without such memory, copy closed blocks to the
 * link and keep the open one. Returns false when the link has no room; it then has all closed
 * blocks. */
static bool next_piece(tt_frame_t *frame)
{
    const tt_link_t *link = frame->link;
#if TT_CONFIG_COPYING_LINK
    if (link->acquire == NULL) {
        return copy_to_link(frame, (uint32_t)(frame->code - frame->piece)) != 0u;
    }
#endif
    uint32_t ahead = tt_frame_kept_bytes(frame);
    uint32_t open_bytes = block_bytes(frame);
    uint8_t *bytes;
    uint32_t count = link->acquire(link->context, ahead, &bytes);
    if (count == 0u) {
        commit(frame, ahead - open_bytes);
        ahead = open_bytes;
        /* Try again: a fast link may have sent bytes meanwhile. */
        count = link->acquire(link->context, ahead, &bytes);
        if (count == 0u) {
            return false;
        }
    }
    if (bytes != frame->out) {
        frame->split = open_bytes;
        frame->ahead = ahead;
        frame->piece = bytes;
        frame->out = bytes;
    }
    frame->end = bytes + count;
    return true;
}

/* COBS: a block is a byte with the value n + 1, then n bytes other than 0. A 0 of the data ends a
 * block and is not sent; a block of 254 bytes ends without one. open_block() reserves the length
 * byte, close_block() writes it. */
static void open_block(tt_frame_t *frame)
{
    frame->code = frame->out++;
    frame->split = 0;
}

static void close_block(tt_frame_t *frame)
{
    *frame->code = (uint8_t)block_bytes(frame);
}

/* Make room for at least one byte and set `limit`. Returns false when the link has no room. */
static bool make_room(tt_frame_t *frame)
{
    if (frame->out == frame->end && !next_piece(frame)) {
        return false;
    }
    if (block_bytes(frame) == TT_COBS_BLOCK_BYTES) {
        close_block(frame);
        open_block(frame);
        if (frame->out == frame->end && !next_piece(frame)) {
            frame->limit = frame->out;
            return false;
        }
    }
    uint32_t piece_bytes = (uint32_t)(frame->end - frame->out);
    uint32_t rest = TT_COBS_BLOCK_BYTES - block_bytes(frame);
    frame->limit = frame->out + (piece_bytes < rest ? piece_bytes : rest);
    return true;
}

/* Add bytes to a block that began in the previous piece, up to the end of that block. Returns the
 * number of bytes added. */
ALONE uint32_t add_to_split(tt_frame_t *frame, const uint8_t *from, uint32_t count)
{
    uint32_t crc = frame->crc;
    uint8_t *out = frame->out;
    uint32_t added = 0;
    while (added < count) {
        uint8_t byte = from[added++];
        crc = tt_crc_after_byte(crc ^ byte);
        if (byte == 0u) {
            frame->out = out;
            close_block(frame);
            open_block(frame);
            out = frame->out;
            break;
        }
        *out++ = byte;
    }
    frame->crc = crc;
    frame->out = out;
    return added;
}

/* Position of the encoder's loop, kept in registers. */
typedef struct tt_cobs_end {
    uint8_t *out;
    uint8_t *code;
} tt_cobs_end_t;

/* End the block at a 0 of the data; the length byte of the next block takes its place. */
COMMON void end_block(tt_cobs_end_t *to, uint8_t *zero)
{
    *to->code = (uint8_t)(zero - to->code);
    to->code = zero;
}

COMMON void add_byte(tt_cobs_end_t *to, uint8_t byte)
{
    *to->out = byte;
    if (byte == 0u) {
        end_block(to, to->out);
    }
    to->out++;
}

/* Aligned words are encoded at once on a little-endian target, unless built for size. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && !defined(__OPTIMIZE_SIZE__)
#define WORDS_AT_ONCE 1
#else
#define WORDS_AT_ONCE 0
#endif

#if WORDS_AT_ONCE

/* Return true when no byte of a word is 0. */
COMMON bool has_no_zero(uint32_t word)
{
    return ((word - 0x01010101u) & ~word & 0x80808080u) == 0u;
}

/* Length bytes of the empty blocks that replace the zeros in the high bytes of a word, by the
 * number of zeros. */
static const uint32_t empty_blocks[5] = {0, 0x01000000u, 0x01010000u, 0x01010100u, 0x01010101u};

/* Return the number of leading zeros, 32 for 0. The instruction also does so for 0; __builtin_clz()
 * needs a branch. */
COMMON uint32_t high_zeros(uint32_t word)
{
#if defined(__ARM_FEATURE_CLZ) && !defined(__aarch64__) /* AArch64 operands have 64 bits */
    uint32_t zeros;
    __asm("clz %0, %1" : "=r"(zeros) : "r"(word));
    return zeros;
#else
    return word == 0u ? 32u : (uint32_t)__builtin_clz(word);
#endif
}

/* Encode a word. The compiler makes one store of memcpy() if the processor allows unaligned
 * words. */
COMMON void add_word(tt_cobs_end_t *to, uint32_t word, const uint32_t *empty)
{
    uint32_t zeros = high_zeros(word) / 8u;
    uint32_t encoded = word;
    if (zeros == 0u) {
        if (has_no_zero(word)) {
            __builtin_memcpy(to->out, &encoded, sizeof encoded);
            to->out += sizeof encoded;
            return;
        }
    } else { /* usual in records */
        encoded |= empty[zeros];
        if (has_no_zero(encoded)) {
            __builtin_memcpy(to->out, &encoded, sizeof encoded);
            to->out += sizeof encoded;
            KEEP(to->out); /* use one pointer, not one for each offset */
            end_block(to, to->out - zeros);
            to->code = to->out - 1;
            return;
        }
    }
    add_byte(to, (uint8_t)word);
    add_byte(to, (uint8_t)(word >> 8));
    add_byte(to, (uint8_t)(word >> 16));
    add_byte(to, (uint8_t)(word >> 24));
}

#endif

/* Update the CRC and encode bytes. There is room for all: each byte takes exactly one. */
ALONE void encode_bytes(tt_frame_t *frame, const uint8_t *from, uint32_t count)
{
    uint32_t crc = frame->crc;
    tt_cobs_end_t to = {.out = frame->out, .code = frame->code};
    const uint8_t *end = from + count;
#if WORDS_AT_ONCE
    const uint32_t *empty = empty_blocks;
#endif
    while (from != end) {
#if WORDS_AT_ONCE
        if (((uintptr_t)from & 3u) == 0u) {
            for (const uint8_t *words_end = from + ((uint32_t)(end - from) & ~3u);
                 from != words_end; from += 4) {
                uint32_t word;
                __builtin_memcpy(&word, __builtin_assume_aligned(from, 4), sizeof word);
                crc = tt_crc_after_word(crc ^ word);
                add_word(&to, word, empty);
            }
            if (from == end) {
                break;
            }
        }
#endif
        crc = tt_crc_after_byte(crc ^ *from);
        add_byte(&to, *from++);
    }
    frame->crc = crc;
    frame->out = to.out;
    frame->code = to.code;
}

uint32_t tt_frame_add(tt_frame_t *frame, const void *bytes, uint32_t count)
{
    const uint8_t *from = bytes;
    uint32_t left = count;
#if TT_CONFIG_MEMORY_LINK
    if (frame->link->plain) {
        tt_plain_add(frame, from, count);
        return count;
    }
#endif
    while (left != 0u) {
        uint32_t room = (uint32_t)(frame->limit - frame->out);
        /* A 0 may have begun a new block, which moves the limit. */
        if (room < left && room < sizeof(uint32_t)) {
            if (!make_room(frame)) {
                break;
            }
            room = (uint32_t)(frame->limit - frame->out);
        }
        uint32_t piece = left < room ? left : room;
        if (frame->split != 0u) {
            piece = add_to_split(frame, from, piece);
        } else {
            encode_bytes(frame, from, piece);
        }
        from += piece;
        left -= piece;
    }
    return count - left;
}

void tt_frame_begin(tt_frame_t *frame, const tt_link_t *link, const tt_wire_frame_header_t *header)
{
    frame->link = link;
#if TT_CONFIG_MEMORY_LINK
    if (link->plain) {
        tt_plain_begin(frame);
        tt_plain_add(frame, (const uint8_t *)header, sizeof *header);
        return;
    }
#endif
    frame->crc = TT_CRC32_START;
    frame->state = TT_FRAME_OPEN;
    frame->ahead = 0;
    frame->sent_bytes = 0;
    frame->piece = frame->crc_bytes; /* an empty piece, until the link lends one */
    frame->end = frame->piece;
#if TT_CONFIG_COPYING_LINK
    frame->room = 0;
    if (link->acquire == NULL) {
        frame->piece = frame->own;
        frame->end = frame->own + sizeof frame->own;
    }
#endif
    frame->out = frame->piece;
    frame->code = frame->out; /* no block is open */
    frame->split = 0;
    if (frame->out == frame->end) {
        (void)next_piece(frame);
    }
    open_block(frame);
    frame->limit = frame->out;
    (void)tt_frame_add(frame, header, sizeof *header);
}

/* Add the missing bytes of the CRC. Returns false when the link has no room. */
static bool add_crc(tt_frame_t *frame)
{
    const uint8_t *bytes = frame->crc_bytes + sizeof frame->crc_bytes - frame->crc_left;
    KEEP(bytes); /* static analysis cannot prove that whole words end within it */
    frame->crc_left -= tt_frame_add(frame, bytes, frame->crc_left);
    return frame->crc_left == 0u;
}

/* Hand the last bytes to the link. Returns false when it does not take them all. */
static bool hand_over(tt_frame_t *frame)
{
#if TT_CONFIG_COPYING_LINK
    if (frame->link->acquire == NULL) {
        uint32_t count = (uint32_t)(frame->out - frame->piece);
        return copy_to_link(frame, count) == count;
    }
#endif
    commit(frame, tt_frame_kept_bytes(frame));
    return true;
}

bool tt_frame_end(tt_frame_t *frame)
{
#if TT_CONFIG_MEMORY_LINK
    if (frame->link->plain) {
        tt_plain_end(frame);
        return true;
    }
#endif
    if (frame->state == TT_FRAME_OPEN) {
        uint32_t crc = ~frame->crc;
        for (uint32_t i = 0; i < sizeof frame->crc_bytes; i++) {
            frame->crc_bytes[i] = (uint8_t)(crc >> (8u * i));
        }
        frame->crc_left = sizeof frame->crc_bytes;
        frame->state = TT_FRAME_IN_CRC;
    }
    if (frame->state == TT_FRAME_IN_CRC) {
        if (!add_crc(frame)) {
            return false;
        }
        close_block(frame);
        if (frame->out == frame->end && !next_piece(frame)) {
            return false;
        }
        *frame->out++ = 0; /* the delimiter */
        frame->state = TT_FRAME_WHOLE;
    }
    return hand_over(frame);
}
