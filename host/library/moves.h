/*
 * Events of several records that a target recorded again, because their thread changed the CPU;
 * they are not incomplete. The reference is decode/moves.py. One boot; all zeros is an empty one.
 */
#ifndef TICKERTAPE_LIBRARY_MOVES_H
#define TICKERTAPE_LIBRARY_MOVES_H

#include <stdint.h>

#include "map.h"

typedef struct moves {
    tt_map_t given_up; /* how often, by stream and identity of the event */
    tt_map_t moved;
} moves_t;

/* Take an event that has no END. `identity`: time or key << 32 | header without struct and flags.
 * Returns 1 if it was recorded again, 0 if not so far, -1 without memory. */
int moves_give_up(moves_t *moves, uint8_t stream, uint64_t identity);

/* Take an event TRACER MOVED. Returns 1 if the event had been given up, 0, or -1 likewise. */
int moves_find(moves_t *moves, uint8_t stream, uint64_t identity);

/* Forget everything. */
void moves_clear(moves_t *moves);

#endif
