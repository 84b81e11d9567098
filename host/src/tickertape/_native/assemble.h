/*
 * Raw records of one ring to columns of events: header split, 64-bit time, combine assembly.
 *
 * The same as tickertape/decode/ring.py does with numpy, which is the reference; protocol/SPEC.md
 * is the law of both. One assembler serves one ring, chunk after chunk, and keeps what waits for
 * its END in between. No function here does I/O; none is safe to call for the same assembler from
 * two threads at once.
 */
#ifndef TICKERTAPE_NATIVE_ASSEMBLE_H
#define TICKERTAPE_NATIVE_ASSEMBLE_H

#include <stdint.h>

#include "columns.h"

typedef struct tt_assembler tt_assembler_t;

/* Buffers of one chunk, fresh and in order, and their records. Arrays have one item a buffer. */
typedef struct tt_chunk {
    const uint8_t *records;        /* 16 bytes each, at any address, as they lie in the tape */
    const uint64_t *first_ordinal; /* of the buffer's first record */
    const uint64_t *ticks;         /* the buffer's anchor: not later than its first record */
    const uint32_t *count;         /* records in the buffer */
    const uint8_t *gap;            /* 1 where records are missing before the buffer */
    uint64_t *ticks_before;        /* out: time of the last SIMPLE or BEGIN before the buffer */
    uint8_t *has_ticks_before;     /* out: 0 when there was none yet */
    uint64_t buffer_count;
    uint32_t swap; /* 1 when records have not the byte order of this machine */
    uint32_t last; /* 1 when nothing follows: what is open is given up */
} tt_chunk_t;

/* What one call found. */
typedef struct tt_found {
    uint64_t rows;          /* events that are whole and wait for nothing */
    uint64_t payload_pairs; /* pairs of words in `payload` */
    uint64_t held_rows;     /* rows kept for the next call */
    uint64_t held_ordinal;  /* of the first of them */
    uint64_t incomplete;    /* combine events given up: a record is missing, or in doubt */
    uint64_t orphans;       /* CONTINUE or END without its BEGIN */
    uint64_t mismatched;    /* number of records does not fit the length */
    uint64_t lost_records;  /* records of the three above */
    uint64_t time_faults;   /* buffers that begin before the end of the one before */
    /* Of each incomplete event, until the next call: time or key << 32 | header without struct and
     * flags. */
    const uint64_t *given_up;
} tt_found_t;

/* A new assembler, which the caller frees; NULL without memory. */
tt_assembler_t *tt_assembler_new(void);

/* Free an assembler with all that it keeps. NULL is allowed. */
void tt_assembler_free(tt_assembler_t *assembler);

/* Rows, and pairs of payload, that the columns need besides one for each record of the chunk. */
uint64_t tt_assembler_kept_rows(const tt_assembler_t *assembler);
uint64_t tt_assembler_kept_pairs(const tt_assembler_t *assembler);

/*
 * Take the next chunk. Events come in order of their first records; from the first one on that is
 * still open, all are kept for the next call: at most 4096 records.
 *
 * Returns 0, or -1 when there is no memory; the assembler can then only be freed.
 */
int tt_assemble(tt_assembler_t *assembler, const tt_chunk_t *chunk, const tt_columns_t *columns,
                tt_found_t *found);

#endif
