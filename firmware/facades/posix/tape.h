/* tape.h - write and read the chunks of a tape (protocol/SPEC.md, "Tape") for the logs of POSIX
 * Trace. */
#ifndef POSIX_TAPE_H
#define POSIX_TAPE_H

#include <stdint.h>

#include "posix_port.h"
#include "tickertape/wire.h"

#define POSIX_CHUNK_ALIGN 16u

/* Magic number, the first bytes of a tape. */
extern const uint8_t posix_tape_magic[8];

/* A piece of a chunk's body. */
typedef struct posix_piece {
    const void *bytes;
    uint32_t count;
} posix_piece_t;

/* Return the offset after a chunk, including its padding. */
static inline uint64_t posix_chunk_end(uint64_t offset, uint32_t body_bytes)
{
    uint64_t end = offset + sizeof(tt_wire_chunk_header_t) + body_bytes;
    return (end + POSIX_CHUNK_ALIGN - 1u) / POSIX_CHUNK_ALIGN * POSIX_CHUNK_ALIGN;
}

/* Write the header of a tape at the start of the file. Returns 0 or an error number. */
int posix_tape_write_header(int file);

/*
 * Write a chunk at *offset and advance *offset to its end. `header` contains type, stream and
 * counts; the function fills in the rest. Returns 0, or an error number with *offset unchanged.
 */
int posix_chunk_write(int file, uint64_t *offset, tt_wire_chunk_header_t *header,
                      const posix_piece_t *pieces, uint32_t piece_count);

/* Write INDEX and END at *offset, after the last chunk. Returns 0 or an error number. */
int posix_tape_write_end(int file, uint64_t *offset);

/* Read the header of the chunk at `offset`. Returns 0, EINVAL when there is no valid header, or an
 * error number. */
int posix_chunk_read(int file, uint64_t offset, tt_wire_chunk_header_t *header);

#endif
