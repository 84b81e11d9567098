/* The chunks of a tape: their places and whether they are valid. See protocol/SPEC.md, "Tape". */
#ifndef TICKERTAPE_LIBRARY_CHUNKS_H
#define TICKERTAPE_LIBRARY_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/wire.h"

#define NO_CHUNK UINT64_MAX

typedef struct chunk {
    uint64_t offset; /* offset of its header on the tape, in bytes */
    uint64_t next;   /* index of the ring's next chunk of the same type, or NO_CHUNK */
    tt_wire_chunk_header_t header;
    bool is_sound; /* CRC and contents of the body are valid */
} chunk_t;

/* The bytes of a tape and the table of its chunks, in the order of the file. */
typedef struct chunks {
    const uint8_t *bytes;
    uint64_t size;
    chunk_t *table;
    uint64_t room; /* capacity of `table`, in chunks */
    uint64_t count;
    uint64_t damaged; /* chunks that are not sound */
    uint64_t unknown; /* chunks of an unknown type */
    uint64_t skipped_bytes;
    bool is_closed;
} chunks_t;

/* Check the header of a tape and copy it to *header. Returns a tt_tape_status_t. */
int chunks_header(const uint8_t *bytes, uint64_t size, tt_wire_tape_header_t *header);

/* Fill the table from the index of the tape, or else chunk by chunk, and check all bodies. The
 * caller sets `bytes` and `size`, and zeros all other members. False without memory. */
bool chunks_find(chunks_t *chunks);

/* Return the body of a chunk. */
static inline const uint8_t *chunk_body(const chunks_t *chunks, const chunk_t *chunk)
{
    return chunks->bytes + chunk->offset + TT_WIRE_CHUNK_HEADER_BYTES;
}

/* Return buffer header `number` of a sound RECORDS chunk. */
tt_wire_buffer_header_t chunk_buffer(const chunks_t *chunks, const chunk_t *chunk, uint32_t number);

/* Return the records of a sound RECORDS chunk. */
const uint8_t *chunk_records(const chunks_t *chunks, const chunk_t *chunk);

#endif
