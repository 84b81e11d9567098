/* Events and gaps of one ring, chunk by chunk. The reference is decode/compiled.py. */
#ifndef TICKERTAPE_LIBRARY_RING_H
#define TICKERTAPE_LIBRARY_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "chunks.h"
#include "interface.h"
#include "ledger.h"
#include "moves.h"

/* A gap and its place: before row `row` of the current columns. */
typedef struct ring_gap {
    tt_tape_gap_t gap;
    uint64_t row;
    bool is_ready; /* `row` is valid */
} ring_gap_t;

/* Properties of a ring that are constant while a boot is read. */
typedef struct ring_place {
    const chunks_t *chunks;
    tt_tape_counters_t *counters; /* incremented */
    moves_t *moves;               /* NULL if the target has one CPU */
    uint32_t epoch;
    uint8_t stream;
    uint8_t cpu;
    bool is_big_endian;
} ring_place_t;

typedef struct ring {
    ring_place_t place;
    tt_assembler_t *assembler;
    uint64_t chunk; /* index of the next chunk, or NO_CHUNK */
    bool has_ended; /* the assembler has returned all events */
    receipt_t last; /* receipt after the last buffer */
    bool has_last;
    tt_columns_t columns; /* events of the last decoded chunk */
    uint64_t row_room;    /* capacity of `columns`, in rows */
    uint64_t pair_room;   /* capacity of the payload of `columns`, in pairs of words */
    uint64_t rows;        /* rows in `columns` */
    uint64_t row;         /* index of the next event */
    uint64_t latest;      /* ring_key() of the last event: never decreases */
    ring_gap_t *gaps;
    uint64_t gap_room;
    uint64_t gap_count;
    uint64_t gap; /* index of the next gap */
} ring_t;

/* Begin with the chunk of index `chunk`; the caller zeros `ring` before. False without memory. */
bool ring_begin(ring_t *ring, const ring_place_t *place, uint64_t chunk);

/* Free the memory of a ring and zero it. A ring of zeros is allowed. */
void ring_end(ring_t *ring);

/* Decode until the ring has a next event. Returns 1, 0 after the last event (gaps may be left), -1
 * without memory. */
int ring_fill(ring_t *ring);

/* Return whether a gap lies before the next event, or after the last one. */
bool ring_has_gap(const ring_t *ring);

/* Return the time by which the next event is merged: its own, but never less than that of the event
 * before it, because the order of a ring has priority over its clock. */
uint64_t ring_key(const ring_t *ring);

/* Remove the next gap, or event, and store it in *gap or *event. */
void ring_take_gap(ring_t *ring, tt_tape_gap_t *gap);
void ring_take_event(ring_t *ring, tt_tape_event_t *event);

#endif
