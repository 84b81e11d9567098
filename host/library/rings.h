/* The rings of a tape, with their chunks and balances. */
#ifndef TICKERTAPE_LIBRARY_RINGS_H
#define TICKERTAPE_LIBRARY_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chunks.h"
#include "tickertape/tape.h"

typedef struct ring_entry {
    tt_tape_ring_t ring;
    uint64_t records;      /* index of its first RECORDS chunk, or NO_CHUNK */
    uint64_t last_records; /* index of its last RECORDS chunk */
    uint64_t statuses;     /* index of its first STATUS chunk, or NO_CHUNK */
    uint64_t last_status;  /* index of its last STATUS chunk */
} ring_entry_t;

/* Rings in order of epoch, stream and CPU. */
typedef struct rings {
    ring_entry_t *table;
    size_t count;
} rings_t;

/* Find the rings with RECORDS or STATUS chunks, link their chunks and compute their balances. False
 * without memory. */
bool rings_find(rings_t *rings, const chunks_t *chunks);

/* Return the index of the first ring of a boot; if it has none, that of the next later boot. */
size_t rings_first_of(const rings_t *rings, uint32_t epoch);

void rings_free(rings_t *rings);

/* Add the balance of a ring to a sum. */
void balance_add(tt_tape_balance_t *sum, const tt_tape_balance_t *balance);

#endif
