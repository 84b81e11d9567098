/* Merges the rings of one boot by time. The reference is tape/stream.py. */
#ifndef TICKERTAPE_LIBRARY_MERGE_H
#define TICKERTAPE_LIBRARY_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chunks.h"
#include "moves.h"
#include "ring.h"
#include "rings.h"

/* All zeros: a merge of no rings. */
typedef struct merge {
    ring_t *rings; /* rings that have not ended; at equal times the lower index comes first */
    size_t count;
    size_t first;       /* index of the ring whose event or gap is next */
    bool is_chosen;     /* `first` and `limit` are valid */
    uint64_t limit;     /* time up to which `first` remains first */
    bool limit_is_mine; /* `first` remains first at `limit` too */
    moves_t moves;
} merge_t;

/* Begin a boot; `counters` are incremented. False without memory. */
bool merge_begin(merge_t *merge, const chunks_t *chunks, const rings_t *rings, uint32_t epoch,
                 tt_tape_counters_t *counters, bool is_big_endian);

/* Free all memory and set the merge to zeros. */
void merge_end(merge_t *merge);

/* Store the next event or gap in *item. Returns 1, 0 after the last one, -1 without memory. */
int merge_next(merge_t *merge, tt_tape_item_t *item);

#endif
