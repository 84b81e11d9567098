/* Events and gaps of one ring, chunk by chunk. The reference is decode/compiled.py. */
#ifndef TICKERTAPE_LIBRARY_RING_H
#define TICKERTAPE_LIBRARY_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "chunks.h"
#include "interface.h"
#include "ledger.h"
#include "moves.h"

/* A gap and the row of the present columns before which it lies. */
typedef struct ring_gap {
    tt_tape_gap_t gap;
    uint64_t row;
    bool is_ready; /* the row is known */
} ring_gap_t;

/* What does not change while a boot is read. */
typedef struct ring_place {
    const chunks_t *chunks;
    tt_tape_counters_t *counters; /* counted up */
    moves_t *moves;               /* NULL where the target has one CPU */
    uint32_t epoch;
    uint8_t stream;
    uint8_t cpu;
    bool is_big_endian;
} ring_place_t;

typedef struct ring {
    ring_place_t place;
    tt_assembler_t *assembler;
    uint64_t chunk; /* the next one, or NO_CHUNK */
    bool has_ended; /* the assembler has given out everything */
    receipt_t last; /* after the last buffer */
    bool has_last;
    tt_columns_t columns; /* events of the last chunk */
    uint64_t row_room;
    uint64_t pair_room;
    uint64_t rows;
    uint64_t row;    /* the next one to hand out */
    uint64_t latest; /* time by which the ring is merged: never decreases */
    ring_gap_t *gaps;
    uint64_t gap_room;
    uint64_t gap_count;
    uint64_t gap; /* the next one to hand out */
} ring_t;

/* Begin with chunk number `chunk`; `ring` is all zeros. False without memory. */
bool ring_begin(ring_t *ring, const ring_place_t *place, uint64_t chunk);

/* Free what a ring has. All zeros is allowed. */
void ring_end(ring_t *ring);

/* Make sure that there is an event. 1 when there is, 0 after the last one (gaps may be left), -1
 * without memory. */
int ring_fill(ring_t *ring);

/* Whether a gap lies before the next event, or after the last one. */
bool ring_has_gap(const ring_t *ring);

/* The time by which the next event is merged: the order of a ring has priority over its clock. */
uint64_t ring_key(const ring_t *ring);

/* Hand out the gap, or the event, that is next. */
void ring_take_gap(ring_t *ring, tt_tape_gap_t *gap);
void ring_take_event(ring_t *ring, tt_tape_event_t *event);

#endif
