/*
 * events.h - makes records from an input and assembles them to columns: the first step of the
 * targets for the host's compiled part.
 */
#ifndef FUZZ_EVENTS_H
#define FUZZ_EVENTS_H

#include <stdbool.h>

#include "columns.h"
#include "fuzz.h"

#define FUZZ_BUFFERS_MAX 4u
#define FUZZ_RECORDS_MAX 64u

/* A chunk and its events. */
typedef struct fuzz_events {
    tt_chunk_t chunk;
    uint64_t record_count;
    uint64_t keyed_count; /* number of BEGIN records with a key */
    tt_columns_t columns;
    tt_found_t found;
} fuzz_events_t;

/* Make a chunk from the next bytes of the input and assemble it. `last`: it ends the ring. */
void fuzz_events_make(fuzz_events_t *events, tt_assembler_t *assembler, fuzz_input_t *input,
                      bool swap, bool last);
void fuzz_events_free(fuzz_events_t *events);

/* Return the number of records of a row's event, without its key. */
uint64_t fuzz_records_of_row(const fuzz_events_t *events, uint64_t row);

#endif
