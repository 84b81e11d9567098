/*
 * events.h - records made from an input, and the columns of the assembler: the first step
 * of the targets for the host's compiled part.
 */
#ifndef FUZZ_EVENTS_H
#define FUZZ_EVENTS_H

#include <stdbool.h>

#include "columns.h"
#include "fuzz.h"

#define FUZZ_BUFFERS_MAX 4u
#define FUZZ_RECORDS_MAX 64u

/* One chunk and what became of it. */
typedef struct fuzz_events {
    tt_chunk_t chunk;
    uint64_t record_count;
    uint64_t keyed_count; /* of these, BEGINs with a key */
    tt_columns_t columns;
    tt_found_t found;
} fuzz_events_t;

/* Make a chunk of the next bytes of the input and assemble it. `last`: it ends the ring. */
void fuzz_events_make(fuzz_events_t *events, tt_assembler_t *assembler, fuzz_input_t *input,
                      bool swap, bool last);
void fuzz_events_free(fuzz_events_t *events);

/* Records that a row was made of, without the key of an event that had one. */
uint64_t fuzz_records_of_row(const fuzz_events_t *events, uint64_t row);

#endif
