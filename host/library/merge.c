#include "merge.h"

#include <stdlib.h>
#include <string.h>

bool merge_begin(merge_t *merge, const chunks_t *chunks, const rings_t *rings, uint32_t epoch,
                 tt_tape_counters_t *counters, bool is_big_endian)
{
    const ring_entry_t *entry = rings->table + rings_first_of(rings, epoch);
    const ring_entry_t *end = rings->table + rings->count;
    const ring_entry_t *last = entry;
    bool has_moves = false;
    for (; last != end && last->ring.epoch == epoch; last++) {
        has_moves |= last->ring.cpu != 0u;
    }
    memset(merge, 0, sizeof *merge);
    merge->rings = calloc((size_t)(last - entry) + 1u, sizeof *merge->rings);
    if (merge->rings == NULL) {
        return false;
    }
    for (; entry != last; entry++) {
        ring_place_t place = {.chunks = chunks,
                              .counters = counters,
                              .moves = has_moves ? &merge->moves : NULL,
                              .epoch = epoch,
                              .stream = entry->ring.stream,
                              .cpu = entry->ring.cpu,
                              .is_big_endian = is_big_endian};
        if (!ring_begin(&merge->rings[merge->count++], &place, entry->records)) {
            merge_end(merge);
            return false;
        }
    }
    return true;
}

void merge_end(merge_t *merge)
{
    for (size_t i = 0; i < merge->count; i++) {
        ring_end(&merge->rings[i]);
    }
    free(merge->rings);
    moves_clear(&merge->moves);
    memset(merge, 0, sizeof *merge);
}

/* Decode until each ring has its next event, and remove rings that have ended. False without
 * memory. */
static bool fill_all(merge_t *merge)
{
    size_t kept = 0;
    for (size_t i = 0; i < merge->count; i++) {
        int filled = ring_fill(&merge->rings[i]);
        if (filled < 0) {
            return false;
        }
        if (filled == 0 && !ring_has_gap(&merge->rings[i])) {
            ring_end(&merge->rings[i]);
            continue;
        }
        if (kept != i) {
            merge->rings[kept] = merge->rings[i];
            memset(&merge->rings[i], 0, sizeof merge->rings[i]);
        }
        kept++;
    }
    merge->count = kept;
    return true;
}

/* Choose the ring with the earliest event, and the time up to which it remains the earliest. */
static void choose(merge_t *merge)
{
    const ring_t *rings = merge->rings;
    merge->first = 0;
    merge->limit = UINT64_MAX;
    merge->limit_is_mine = true;
    for (size_t i = 0; i < merge->count; i++) {
        if (rings[i].row == rings[i].rows) { /* the ring has only gaps left: return them first */
            merge->first = i;
            return;
        }
        if (i != 0u && ring_key(&rings[i]) < ring_key(&rings[merge->first])) {
            merge->first = i;
        }
    }
    for (size_t i = 0; i < merge->count; i++) {
        if (i != merge->first && ring_key(&rings[i]) < merge->limit) {
            merge->limit = ring_key(&rings[i]);
            merge->limit_is_mine = i > merge->first;
        }
    }
}

/* Return whether the chosen ring is still first; false if its next event is not decoded yet. */
static bool stays(const merge_t *merge)
{
    const ring_t *ring = &merge->rings[merge->first];
    if (!merge->is_chosen || ring->row == ring->rows) {
        return false;
    }
    uint64_t key = ring_key(ring);
    return key < merge->limit || (key == merge->limit && merge->limit_is_mine);
}

int merge_next(merge_t *merge, tt_tape_item_t *item)
{
    if (merge->count == 0u) {
        return 0;
    }
    if (!stays(merge)) {
        if (!fill_all(merge)) {
            return -1;
        }
        if (merge->count == 0u) {
            return 0;
        }
        choose(merge);
        merge->is_chosen = true;
    }
    ring_t *ring = &merge->rings[merge->first];
    memset(item, 0, sizeof *item);
    if (ring_has_gap(ring)) {
        item->kind = TT_TAPE_GAP;
        ring_take_gap(ring, &item->gap);
    } else {
        item->kind = TT_TAPE_EVENT;
        ring_take_event(ring, &item->event);
    }
    return 1;
}
