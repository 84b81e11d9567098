/* The rings of a tape: their chunks and their balances. */
#ifndef TICKERTAPE_LIBRARY_RINGS_H
#define TICKERTAPE_LIBRARY_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chunks.h"
#include "tickertape/tape.h"

typedef struct ring_entry {
    tt_tape_ring_t ring;
    uint64_t records; /* number of its first RECORDS chunk, or NO_CHUNK */
    uint64_t last_records;
    uint64_t statuses; /* likewise */
    uint64_t last_status;
} ring_entry_t;

/* In the order of epoch, stream and CPU. */
typedef struct rings {
    ring_entry_t *table;
    size_t count;
} rings_t;

/* List the rings with records or counters, chain their chunks and compute their balances; false
 * without memory. */
bool rings_find(rings_t *rings, const chunks_t *chunks);

/* Number of the first ring of a boot, or of a later one. */
size_t rings_first_of(const rings_t *rings, uint32_t epoch);

void rings_free(rings_t *rings);

/* Add the balance of a ring to a sum. */
void balance_add(tt_tape_balance_t *sum, const tt_tape_balance_t *balance);

#endif
