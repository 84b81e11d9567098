/* The chunks of a tape: where they are, and which of them are sound. protocol/SPEC.md, "Tape". */
#ifndef TICKERTAPE_LIBRARY_CHUNKS_H
#define TICKERTAPE_LIBRARY_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/wire.h"

#define NO_CHUNK UINT64_MAX

typedef struct chunk {
    uint64_t offset; /* of its header */
    uint64_t next;   /* number of the next one of the same type and ring, or NO_CHUNK */
    tt_wire_chunk_header_t header;
    bool is_sound;
} chunk_t;

/* The bytes of a tape and the table of its chunks, in the order of the file. */
typedef struct chunks {
    const uint8_t *bytes;
    uint64_t size;
    chunk_t *table;
    uint64_t room;
    uint64_t count;
    uint64_t damaged;
    uint64_t unknown;
    uint64_t skipped_bytes;
    bool is_closed;
} chunks_t;

/* Check the first bytes of a tape and copy them; returns a tt_tape_status_t. */
int chunks_header(const uint8_t *bytes, uint64_t size, tt_wire_tape_header_t *header);

/* Fill the table by the index of the tape, or by a walk from chunk to chunk, and check all bodies.
 * `bytes` and `size` are set, all others are zeros. False without memory. */
bool chunks_find(chunks_t *chunks);

/* The body of a chunk. */
static inline const uint8_t *chunk_body(const chunks_t *chunks, const chunk_t *chunk)
{
    return chunks->bytes + chunk->offset + TT_WIRE_CHUNK_HEADER_BYTES;
}

/* Header number `number` of a sound RECORDS chunk. */
tt_wire_buffer_header_t chunk_buffer(const chunks_t *chunks, const chunk_t *chunk, uint32_t number);

/* The records of a sound RECORDS chunk. */
const uint8_t *chunk_records(const chunks_t *chunks, const chunk_t *chunk);

#endif
