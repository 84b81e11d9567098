/* Check RECORDS chunks of a tape. The reference is tape/pieces_read.py. */
#include "interface.h"

#include <stdbool.h>
#include <string.h>

#include "record_parts.h"

#define BUFFER_BYTES 40u
#define COUNT_OFFSET 36u /* `count` of a buffer header: records in the buffer */
#define ALIGNMENT    16u

/* A row of the table of chunks: offset of the chunk, then a copy of its header. */
#define ROW_BYTES     40u
#define HEADER_BYTES  32u
#define SIZE_OFFSET   16u
#define CRC_OFFSET    20u
#define BUFFER_OFFSET 28u
#define RECORD_OFFSET 32u

typedef struct piece {
    uint64_t body; /* offset of the body */
    uint64_t bytes;
    uint64_t buffers;
    uint64_t records;
    uint32_t crc;
} piece_t;

static uint32_t number_at(const uint8_t *bytes)
{
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return number;
}

static piece_t piece_at(const tt_pieces_t *pieces, uint64_t row)
{
    const uint8_t *bytes = pieces->table + row * ROW_BYTES;
    uint64_t offset;
    memcpy(&offset, bytes, sizeof offset);
    return (piece_t){.body = offset + HEADER_BYTES,
                     .bytes = number_at(bytes + SIZE_OFFSET),
                     .buffers = number_at(bytes + BUFFER_OFFSET),
                     .records = number_at(bytes + RECORD_OFFSET),
                     .crc = number_at(bytes + CRC_OFFSET)};
}

static uint32_t buffer_records(const uint8_t *buffer)
{
    uint16_t count;
    memcpy(&count, buffer + COUNT_OFFSET, sizeof count);
    return count;
}

/* Return the offset of the records in the body of a RECORDS chunk. */
static uint64_t records_start(uint64_t buffer_count)
{
    uint64_t bytes = buffer_count * BUFFER_BYTES;
    return bytes + (0u - bytes) % ALIGNMENT;
}

static uint8_t state_of(const tt_pieces_t *pieces, const piece_t *piece, bool is_checked)
{
    if (piece->body < HEADER_BYTES || piece->body > pieces->data_bytes ||
        piece->bytes > pieces->data_bytes - piece->body) {
        return (uint8_t)TT_PIECE_CRC;
    }
    const uint8_t *body = pieces->data + piece->body;
    if (!is_checked && tt_crc32(body, piece->bytes) != piece->crc) {
        return (uint8_t)TT_PIECE_CRC;
    }
    if (records_start(piece->buffers) + piece->records * RECORD_BYTES != piece->bytes) {
        return (uint8_t)TT_PIECE_SIZE;
    }
    uint64_t count = 0;
    for (uint64_t i = 0; i < piece->buffers; i++) {
        count += buffer_records(body + i * BUFFER_BYTES);
    }
    return (uint8_t)(count == piece->records ? TT_PIECE_SOUND : TT_PIECE_COUNTS);
}

uint64_t tt_pieces_read(tt_pieces_t *pieces)
{
    uint64_t made = 0;
    pieces->found_faults = 0;
    for (uint64_t i = 0; i < pieces->row_count; i++) {
        uint64_t row = (uint64_t)pieces->rows[i];
        if (pieces->state[row] > (uint8_t)TT_PIECE_SOUND) {
            continue;
        }
        piece_t piece = piece_at(pieces, row);
        uint8_t state = state_of(pieces, &piece, pieces->state[row] == (uint8_t)TT_PIECE_SOUND);
        pieces->state[row] = state;
        if (state != (uint8_t)TT_PIECE_SOUND) {
            pieces->found_faults++;
            continue;
        }
        if (piece.buffers > pieces->buffer_room - made) {
            break;
        }
        uint64_t start = piece.body + records_start(piece.buffers);
        memcpy(pieces->buffers + made * BUFFER_BYTES, pieces->data + piece.body,
               piece.buffers * BUFFER_BYTES);
        for (uint64_t j = 0; j < piece.buffers; j++, made++) {
            pieces->start[made] = start;
            start += (uint64_t)buffer_records(pieces->buffers + made * BUFFER_BYTES) * RECORD_BYTES;
        }
    }
    return made;
}
