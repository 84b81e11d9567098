/*
 * Encodes frames: reads them from standard input, writes the bytes of the link to standard output.
 *
 * A frame is struct input_header and its parts, each a length and its bytes. The link lends memory
 * in pieces of `piece_bytes`, each at a lower address than the one before, so that no two are
 * contiguous; with 0 it lends none.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "frame.h"

#define POOL_BYTES 65536u

struct input_header {
    uint32_t piece_bytes;
    uint32_t part_count;
};

static uint8_t pool[POOL_BYTES];
static uint32_t piece_bytes;

static uint8_t *place_of(uint32_t number)
{
    return pool + POOL_BYTES - (number + 1u) * piece_bytes;
}

static uint32_t room_bytes(void *context)
{
    (void)context;
    return POOL_BYTES;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    size_t written = fwrite(bytes, 1, count, stdout);
    assert(written == count);
}

static uint32_t acquire(void *context, uint32_t ahead, uint8_t **bytes)
{
    (void)context;
    *bytes = place_of(ahead / piece_bytes) + ahead % piece_bytes;
    return piece_bytes - ahead % piece_bytes;
}

static void commit(void *context, uint32_t count)
{
    for (uint32_t first = 0; first < count; first += piece_bytes) {
        uint32_t left = count - first;
        put(context, place_of(first / piece_bytes), left < piece_bytes ? left : piece_bytes);
    }
}

int main(void)
{
    static const tt_link_t lending = {
        .room_bytes = room_bytes, .put = put, .acquire = acquire, .commit = commit};
    static const tt_link_t copying = {.room_bytes = room_bytes, .put = put};
    static _Alignas(4) uint8_t part[POOL_BYTES];
    struct input_header header;
    uint32_t sequence = 0;
    while (fread(&header, sizeof header, 1, stdin) == 1) {
        const tt_wire_frame_header_t frame_header = {.type = TT_FRAME_TYPE_TEXT,
                                                     .sequence = sequence++};
        tt_frame_t frame;
        memset(&frame, 0xa5, sizeof frame);
        piece_bytes = header.piece_bytes;
        tt_frame_begin(&frame, piece_bytes == 0u ? &copying : &lending, &frame_header);
        for (uint32_t i = 0; i < header.part_count; i++) {
            uint32_t count;
            uint32_t shift = i % 4u; /* parts begin at any address */
            size_t whole = fread(&count, sizeof count, 1, stdin);
            whole += fread(part + shift, 1, count, stdin);
            assert(whole == count + 1u);
            uint32_t added = tt_frame_add(&frame, part + shift, count);
            assert(added == count);
        }
        bool whole_frame = tt_frame_end(&frame);
        assert(whole_frame);
    }
    return 0;
}
