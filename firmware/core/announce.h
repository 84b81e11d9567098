/* core/announce.h - HELLO, NAME and STATUS frames. Drain thread only, unless stated. */
#ifndef TICKERTAPE_CORE_ANNOUNCE_H
#define TICKERTAPE_CORE_ANNOUNCE_H

#include <stdbool.h>
#include <stdint.h>

/* Kinds of rounds, one bit each. Every round sends HELLO, STATUS of each ring, and of the names
 * ... */
#define TT_ANNOUNCE_PERIODIC 1u /* ... some, as far as the link has room to spare */
#define TT_ANNOUNCE_STATUS   2u /* ... none; immediate, with the counters by class */
#define TT_ANNOUNCE_NAMES    4u /* ... all; immediate */
#define TT_ANNOUNCE_ALL      (TT_ANNOUNCE_STATUS | TT_ANNOUNCE_NAMES)

/* Request a round of announcements; `kind` is a set of TT_ANNOUNCE_ bits. Any context. */
void tt_announce_ask(uint32_t kind);

/* Cancel every round and request. Called by tt_init(). */
void tt_announce_reset(void);

/*
 * Send the next frame of the round; begin a round if one was requested. `now`: only a frame of an
 * immediate round, not of a periodic one. `spare`: the link is otherwise idle, so a frame may be
 * long. Returns false when there is nothing to send or the link has too little room.
 */
bool tt_announce_step(bool now, bool spare);
/* Return true when no round is under way or requested and no name waits to be announced. */
bool tt_announce_done(void);

/* Return true while an immediate round is not finished. */
bool tt_announce_waits(void);

/* Send STATUS of one ring with the counters of its first `class_count` classes; it is marked final
 * when no record waits and none can follow. Returns false when the link has too little room. */
bool tt_send_status(uint32_t ring_index, uint32_t class_count);

#endif
