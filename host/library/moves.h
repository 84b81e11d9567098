/*
 * Matches combine events that a target recorded again because their thread moved to another CPU;
 * they do not count as incomplete. The reference is decode/moves.py.
 */
#ifndef TICKERTAPE_LIBRARY_MOVES_H
#define TICKERTAPE_LIBRARY_MOVES_H

#include <stdint.h>

#include "map.h"

/* Unmatched events of one boot. Both maps: number of events, by stream and identity of the event.
 * All zeros: empty. */
typedef struct moves {
    tt_map_t given_up; /* events without END */
    tt_map_t moved;    /* events TRACER MOVED */
} moves_t;

/* Add an event that has no END. `identity`: time or key << 32 | header without struct and flags.
 * Returns 1 if it matches a MOVED event added before, 0 if not, -1 without memory. */
int moves_give_up(moves_t *moves, uint8_t stream, uint64_t identity);

/* Add an event TRACER MOVED. Returns 1 if it matches an event without END added before, 0 if not,
 * -1 without memory. */
int moves_find(moves_t *moves, uint8_t stream, uint64_t identity);

/* Remove all events and free the memory. */
void moves_clear(moves_t *moves);

#endif
