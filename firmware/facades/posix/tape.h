/* tape.h - tapes as the logs of POSIX Trace write and read them: chunks (protocol/SPEC.md, "Tape").
 */
#ifndef POSIX_TAPE_H
#define POSIX_TAPE_H

#include <stdint.h>

#include "posix_port.h"
#include "tickertape/wire.h"

#define POSIX_CHUNK_ALIGN 16u

/* The first bytes of a tape. */
extern const uint8_t posix_tape_magic[8];

/* A piece of a chunk's body. */
typedef struct posix_piece {
    const void *bytes;
    uint32_t count;
} posix_piece_t;

static inline uint64_t posix_chunk_end(uint64_t offset, uint32_t body_bytes)
{
    uint64_t end = offset + sizeof(tt_wire_chunk_header_t) + body_bytes;
    return (end + POSIX_CHUNK_ALIGN - 1u) / POSIX_CHUNK_ALIGN * POSIX_CHUNK_ALIGN;
}

/* Write the header of a tape, at the start of the file. Returns 0 or an error number. */
int posix_tape_write_header(int file);

/*
 * Write a chunk at `*offset` and advance that to its end. `header` has type, stream and counts;
 * this function fills in the rest. Returns 0 or an error number, with *offset unchanged.
 */
int posix_chunk_write(int file, uint64_t *offset, tt_wire_chunk_header_t *header,
                      const posix_piece_t *pieces, uint32_t piece_count);

/* Write INDEX and END after the last chunk. */
int posix_tape_write_end(int file, uint64_t *offset);

/* Read the header of the chunk at `offset`; EINVAL when there is none. */
int posix_chunk_read(int file, uint64_t offset, tt_wire_chunk_header_t *header);

#endif
