#include "chunks.h"

#include <stddef.h>
#include <string.h>

#include "crc.h"
#include "open_events.h"
#include "tickertape/tape.h"

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the structs of tickertape/wire.h are read as they are: use a little-endian machine"
#endif

#define MAGIC        0x4b435454u
#define ALIGNMENT    16u
#define MAJOR        1u
#define OFFSET_BYTES ((uint64_t)sizeof(uint64_t))
#define ROW_BYTES    (OFFSET_BYTES + TT_WIRE_CHUNK_HEADER_BYTES)

static const uint8_t tape_magic[8] = {0x89, 'T', 'A', 'P', 'E', '\r', '\n', 0x1a};

static bool is_inside(const chunks_t *chunks, uint64_t offset, uint64_t bytes)
{
    return offset <= chunks->size && bytes <= chunks->size - offset;
}

int chunks_header(const uint8_t *bytes, uint64_t size, tt_wire_tape_header_t *header)
{
    uint64_t count = size < sizeof tape_magic ? size : sizeof tape_magic;
    if (count == 0u || memcmp(bytes, tape_magic, (size_t)count) != 0) {
        return TT_TAPE_NOT_A_TAPE;
    }
    if (size < sizeof *header) {
        return TT_TAPE_DAMAGED;
    }
    memcpy(header, bytes, sizeof *header);
    if (header->major != MAJOR) {
        return TT_TAPE_VERSION;
    }
    bool is_good = crc_of(bytes, offsetof(tt_wire_tape_header_t, crc)) == header->crc &&
                   (header->byte_order == (uint8_t)TT_BYTE_ORDER_LITTLE ||
                    header->byte_order == (uint8_t)TT_BYTE_ORDER_BIG);
    return is_good ? TT_TAPE_OK : TT_TAPE_DAMAGED;
}

static bool header_at(const chunks_t *chunks, uint64_t offset, tt_wire_chunk_header_t *header)
{
    if (!is_inside(chunks, offset, sizeof *header)) {
        return false;
    }
    const uint8_t *bytes = chunks->bytes + offset;
    memcpy(header, bytes, sizeof *header);
    return header->magic == MAGIC &&
           crc_of(bytes, offsetof(tt_wire_chunk_header_t, crc)) == header->crc;
}

static bool add(chunks_t *chunks, uint64_t offset, const tt_wire_chunk_header_t *header)
{
    void *table = chunks->table;
    if (!tt_list_grow(&table, &chunks->room, chunks->count, sizeof *chunks->table)) {
        return false;
    }
    chunks->table = table;
    chunks->table[chunks->count++] =
        (chunk_t){.offset = offset, .next = NO_CHUNK, .header = *header};
    return true;
}

/* Find the INDEX chunk by the offset stored before END. False if offset or INDEX is invalid. */
static bool find_index(const chunks_t *chunks, uint64_t end, uint64_t *offset,
                       tt_wire_chunk_header_t *index)
{
    memcpy(offset, chunks->bytes + end - OFFSET_BYTES, sizeof *offset);
    if (*offset >= end || !header_at(chunks, *offset, index) ||
        index->type != (uint16_t)TT_CHUNK_TYPE_INDEX) {
        return false;
    }
    uint64_t first = *offset + TT_WIRE_CHUNK_HEADER_BYTES;
    return first + index->body_bytes == end &&
           crc_of(chunks->bytes + first, index->body_bytes) == index->body_crc;
}

/* Fill the table from the INDEX chunk. Returns 1, 0 without a valid index, -1 without memory. */
static int by_index(chunks_t *chunks)
{
    tt_wire_chunk_header_t mark;
    tt_wire_chunk_header_t index;
    uint64_t offset;
    if (chunks->size < TT_WIRE_TAPE_HEADER_BYTES + TT_WIRE_CHUNK_HEADER_BYTES) {
        return 0;
    }
    uint64_t end = chunks->size - TT_WIRE_CHUNK_HEADER_BYTES;
    if (!header_at(chunks, end, &mark) || mark.type != (uint16_t)TT_CHUNK_TYPE_END ||
        !find_index(chunks, end, &offset, &index)) {
        return 0;
    }
    const uint8_t *row = chunks->bytes + offset + TT_WIRE_CHUNK_HEADER_BYTES;
    for (uint64_t i = 0; i < index.body_bytes / ROW_BYTES; i++, row += ROW_BYTES) {
        uint64_t place;
        tt_wire_chunk_header_t header;
        memcpy(&place, row, sizeof place);
        memcpy(&header, row + OFFSET_BYTES, sizeof header);
        if (!add(chunks, place, &header)) {
            return -1;
        }
    }
    chunks->is_closed = true;
    return add(chunks, offset, &index) && add(chunks, end, &mark) ? 1 : -1;
}

/* Return the offset of the next valid chunk header after `offset`, or the size of the tape. */
static uint64_t resynchronise(const chunks_t *chunks, uint64_t offset)
{
    tt_wire_chunk_header_t header;
    uint64_t place = offset - offset % ALIGNMENT + ALIGNMENT;
    while (place < chunks->size && !header_at(chunks, place, &header)) {
        place += ALIGNMENT;
    }
    return place < chunks->size ? place : chunks->size;
}

/* Return whether the tape is closed after a chunk of this type; `was_closed`: before it. */
static bool closes(uint16_t type, bool was_closed)
{
    return type == (uint16_t)TT_CHUNK_TYPE_END ||
           (was_closed &&
            (type == (uint16_t)TT_CHUNK_TYPE_NOTE || type == (uint16_t)TT_CHUNK_TYPE_SUMMARY ||
             type == (uint16_t)TT_CHUNK_TYPE_INDEX));
}

/* Fill the table by reading chunk after chunk. False without memory. */
static bool walk(chunks_t *chunks)
{
    uint64_t offset = TT_WIRE_TAPE_HEADER_BYTES;
    while (offset < chunks->size) {
        tt_wire_chunk_header_t header;
        if (!header_at(chunks, offset, &header)) {
            uint64_t place = resynchronise(chunks, offset);
            chunks->skipped_bytes += place - offset;
            offset = place;
            continue;
        }
        uint64_t bytes = (uint64_t)TT_WIRE_CHUNK_HEADER_BYTES + header.body_bytes;
        if (!is_inside(chunks, offset, bytes)) {
            chunks->skipped_bytes += chunks->size - offset;
            break;
        }
        if (!add(chunks, offset, &header)) {
            return false;
        }
        chunks->is_closed = closes(header.type, chunks->is_closed);
        offset += bytes + (0u - bytes) % ALIGNMENT;
    }
    return true;
}

/* Return the offset of the records in the body of a RECORDS chunk. */
static uint64_t records_start(const tt_wire_chunk_header_t *header)
{
    uint64_t bytes = (uint64_t)header->buffer_count * TT_WIRE_BUFFER_HEADER_BYTES;
    return bytes + (0u - bytes) % ALIGNMENT;
}

tt_wire_buffer_header_t chunk_buffer(const chunks_t *chunks, const chunk_t *chunk, uint32_t number)
{
    tt_wire_buffer_header_t buffer;
    memcpy(&buffer, chunk_body(chunks, chunk) + (uint64_t)number * sizeof buffer, sizeof buffer);
    return buffer;
}

const uint8_t *chunk_records(const chunks_t *chunks, const chunk_t *chunk)
{
    return chunk_body(chunks, chunk) + records_start(&chunk->header);
}

static bool records_fit(const chunks_t *chunks, const chunk_t *chunk)
{
    const tt_wire_chunk_header_t *header = &chunk->header;
    uint64_t bytes = (uint64_t)header->record_count * TT_RECORD_BYTES;
    if (records_start(header) + bytes != header->body_bytes) {
        return false;
    }
    uint64_t count = 0;
    for (uint32_t i = 0; i < header->buffer_count; i++) {
        count += chunk_buffer(chunks, chunk, i).count;
    }
    return count == header->record_count;
}

static bool status_fits(const chunks_t *chunks, const chunk_t *chunk)
{
    tt_wire_status_t status;
    if (chunk->header.body_bytes < sizeof status) {
        return false;
    }
    memcpy(&status, chunk_body(chunks, chunk), sizeof status);
    return chunk->header.body_bytes >=
           sizeof status + (uint64_t)status.class_count * TT_WIRE_CLASS_COUNTERS_BYTES;
}

static bool hello_fits(const chunks_t *chunks, const chunk_t *chunk)
{
    tt_wire_hello_t hello;
    if (chunk->header.body_bytes < sizeof hello) {
        return false;
    }
    memcpy(&hello, chunk_body(chunks, chunk), sizeof hello);
    return hello.byte_order == (uint8_t)TT_BYTE_ORDER_LITTLE ||
           hello.byte_order == (uint8_t)TT_BYTE_ORDER_BIG;
}

static bool is_sound(const chunks_t *chunks, const chunk_t *chunk)
{
    const tt_wire_chunk_header_t *header = &chunk->header;
    if (!is_inside(chunks, chunk->offset,
                   (uint64_t)TT_WIRE_CHUNK_HEADER_BYTES + header->body_bytes) ||
        crc_of(chunk_body(chunks, chunk), header->body_bytes) != header->body_crc) {
        return false;
    }
    switch (header->type) {
    case TT_CHUNK_TYPE_RECORDS:
        return records_fit(chunks, chunk);
    case TT_CHUNK_TYPE_STATUS:
        return status_fits(chunks, chunk);
    case TT_CHUNK_TYPE_HELLO:
        return hello_fits(chunks, chunk);
    case TT_CHUNK_TYPE_NAME:
        return header->body_bytes >= TT_WIRE_NAME_BYTES;
    default:
        return true;
    }
}

bool chunks_find(chunks_t *chunks)
{
    int found = by_index(chunks);
    if (found < 0 || (found == 0 && !walk(chunks))) {
        return false;
    }
    for (uint64_t i = 0; i < chunks->count; i++) {
        chunk_t *chunk = &chunks->table[i];
        uint16_t type = chunk->header.type;
        chunk->is_sound = is_sound(chunks, chunk);
        chunks->damaged += !chunk->is_sound;
        chunks->unknown +=
            type < (uint16_t)TT_CHUNK_TYPE_META || type > (uint16_t)TT_CHUNK_TYPE_SUMMARY;
    }
    return true;
}
