#include "tape.h"
#include "posix_time.h"

#include <errno.h>
#include <string.h>

#include "tickertape/crc.h"
#include "tickertape/tickertape.h"

#define CHUNK_MAGIC    0x4b435454u
#define TAPE_MAJOR     1u
#define TAPE_MINOR     2u
#define TRAILER_BYTES  8u
#define MIX_MULTIPLIER 6364136223846793005u /* Knuth's, of MMIX */
#define MIX_INCREMENT  1442695040888963407u

const uint8_t posix_tape_magic[8] = {0x89, 'T', 'A', 'P', 'E', '\r', '\n', 0x1a};

/* A row of INDEX: the offset of a chunk and its header. */
typedef struct index_row {
    uint64_t offset;
    tt_wire_chunk_header_t header;
} index_row_t;

_Static_assert(sizeof(index_row_t) == 40u, "SPEC: a row has 40 bytes");

/* No entropy source is available: mix pid, time and tick count. */
static void make_uuid(uint8_t uuid[16], uint64_t now_ns)
{
    uint64_t mixed = now_ns ^ ((uint64_t)posix_port_pid() << 32) ^ tt_clock_now();
    for (uint32_t i = 0; i < 16u; i++) {
        mixed = mixed * MIX_MULTIPLIER + MIX_INCREMENT;
        uuid[i] = (uint8_t)(mixed >> 56);
    }
}

int posix_tape_write_header(int file)
{
    struct timespec now;
    posix_port_now(&now);
    tt_wire_tape_header_t header = {
        .major = TAPE_MAJOR,
        .minor = TAPE_MINOR,
        .byte_order = TT_BYTE_ORDER_LITTLE,
        .created_ns = posix_ns_of_time(&now),
    };
    memcpy(header.magic, posix_tape_magic, sizeof header.magic);
    make_uuid(header.uuid, header.created_ns);
    header.crc = tt_crc32((const uint8_t *)&header, offsetof(tt_wire_tape_header_t, crc));
    return posix_port_file_write(file, 0, &header, sizeof header);
}

static void seal(tt_wire_chunk_header_t *header, uint32_t body_bytes, uint32_t body_crc)
{
    header->magic = CHUNK_MAGIC;
    header->flags = 0;
    header->body_bytes = body_bytes;
    header->body_crc = body_crc;
    header->crc = tt_crc32((const uint8_t *)header, offsetof(tt_wire_chunk_header_t, crc));
}

/* Write the header of a chunk after its body, then the padding, and advance *offset. */
static int finish(int file, uint64_t *offset, tt_wire_chunk_header_t *header, uint32_t body_bytes,
                  uint32_t body_crc)
{
    static const uint8_t zeros[POSIX_CHUNK_ALIGN];
    uint64_t end = posix_chunk_end(*offset, body_bytes);
    uint64_t body_end = *offset + sizeof *header + body_bytes;
    seal(header, body_bytes, body_crc);
    int result = posix_port_file_write(file, *offset, header, sizeof *header);
    if (result == 0 && end != body_end) {
        result = posix_port_file_write(file, body_end, zeros, (size_t)(end - body_end));
    }
    if (result == 0) {
        *offset = end;
    }
    return result;
}

int posix_chunk_write(int file, uint64_t *offset, tt_wire_chunk_header_t *header,
                      const posix_piece_t *pieces, uint32_t piece_count)
{
    uint32_t crc = TT_CRC32_START;
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < piece_count; i++) {
        if (pieces[i].count != 0u) {
            int result = posix_port_file_write(file, *offset + sizeof *header + bytes,
                                               pieces[i].bytes, pieces[i].count);
            if (result != 0) {
                return result;
            }
        }
        crc = tt_crc32_update(crc, pieces[i].bytes, pieces[i].count);
        bytes += pieces[i].count;
    }
    return finish(file, offset, header, bytes, ~crc);
}

/* Append bytes to a body that is being written. */
static int append(int file, uint64_t *at, uint32_t *crc, const void *bytes, uint32_t count)
{
    int result = posix_port_file_write(file, *at, bytes, count);
    *crc = tt_crc32_update(*crc, bytes, count);
    *at += count;
    return result;
}

int posix_tape_write_end(int file, uint64_t *offset)
{
    static const uint8_t zeros[POSIX_CHUNK_ALIGN];
    const uint64_t index = *offset;
    uint64_t at = index + sizeof(tt_wire_chunk_header_t);
    uint32_t crc = TT_CRC32_START;
    int result = 0;
    index_row_t row = {.offset = sizeof(tt_wire_tape_header_t)};
    while (result == 0 && row.offset < index) {
        result = posix_chunk_read(file, row.offset, &row.header);
        if (result == 0) {
            result = append(file, &at, &crc, &row, sizeof row);
            row.offset = posix_chunk_end(row.offset, row.header.body_bytes);
        }
    }
    uint32_t body_bytes = (uint32_t)(at - index - sizeof(tt_wire_chunk_header_t)) + TRAILER_BYTES;
    uint32_t pad = (POSIX_CHUNK_ALIGN - body_bytes % POSIX_CHUNK_ALIGN) % POSIX_CHUNK_ALIGN;
    if (result == 0 && pad != 0u) {
        result = append(file, &at, &crc, zeros, pad);
    }
    if (result == 0) {
        result = append(file, &at, &crc, &index, sizeof index);
    }
    tt_wire_chunk_header_t header = {.type = TT_CHUNK_TYPE_INDEX};
    if (result == 0) {
        result = finish(file, offset, &header, body_bytes + pad, ~crc);
    }
    header = (tt_wire_chunk_header_t){.type = TT_CHUNK_TYPE_END};
    return result == 0 ? posix_chunk_write(file, offset, &header, NULL, 0) : result;
}

int posix_chunk_read(int file, uint64_t offset, tt_wire_chunk_header_t *header)
{
    int result = posix_port_file_read(file, offset, header, sizeof *header);
    if (result != 0) {
        return result;
    }
    uint32_t crc = tt_crc32((const uint8_t *)header, offsetof(tt_wire_chunk_header_t, crc));
    return header->magic == CHUNK_MAGIC && header->crc == crc ? 0 : EINVAL;
}
