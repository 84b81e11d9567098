/* The rings of one boot merged by time. The reference is tape/stream.py. */
#ifndef TICKERTAPE_LIBRARY_MERGE_H
#define TICKERTAPE_LIBRARY_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chunks.h"
#include "moves.h"
#include "ring.h"
#include "rings.h"

/* All zeros is a merge of no rings. */
typedef struct merge {
    ring_t *rings; /* those that are not at their end, in the order that counts at equal times */
    size_t count;
    size_t first;       /* the one whose event or gap is next */
    bool is_chosen;     /* `first` and `limit` are known */
    uint64_t limit;     /* time up to which `first` stays the first */
    bool limit_is_mine; /* at `limit` itself too */
    moves_t moves;
} merge_t;

/* Begin a boot; false without memory. `counters` are counted up. */
bool merge_begin(merge_t *merge, const chunks_t *chunks, const rings_t *rings, uint32_t epoch,
                 tt_tape_counters_t *counters, bool is_big_endian);

/* Free all memory; the merge is one of no rings then. */
void merge_end(merge_t *merge);

/* The next event or gap: 1, 0 after the last one, -1 without memory. */
int merge_next(merge_t *merge, tt_tape_item_t *item);

#endif
