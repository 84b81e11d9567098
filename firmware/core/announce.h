/* core/announce.h - HELLO, NAME and STATUS frames. Drain thread only, unless stated. */
#ifndef TICKERTAPE_CORE_ANNOUNCE_H
#define TICKERTAPE_CORE_ANNOUNCE_H

#include <stdbool.h>
#include <stdint.h>

/* Requests for announcements, one bit each: HELLO and STATUS of each ring and, of the names, ... */
#define TT_ANNOUNCE_PERIODIC 1u /* ... a part, as far as the link has room for it */
#define TT_ANNOUNCE_STATUS   2u /* ... none, now, with the counters of classes */
#define TT_ANNOUNCE_NAMES    4u /* ... all, now */
#define TT_ANNOUNCE_ALL      (TT_ANNOUNCE_STATUS | TT_ANNOUNCE_NAMES)

/* Request a round of announcements. Any context. */
void tt_announce_ask(uint32_t kind);

/* Cancel every round. */
void tt_announce_reset(void);

/*
 * Send the next frame of the round; begin a round if one was requested. `now`: requested
 * rounds only. `spare`: the link is otherwise idle, so a frame may be long. Returns false when
 * there is nothing to send, or no room.
 */
bool tt_announce_step(bool now, bool spare);
bool tt_announce_done(void);

/* True while a requested round is not finished. */
bool tt_announce_waits(void);

/* Send the counters of one ring, and those of its first `class_count` classes; final when no
 * record waits and none can follow. */
bool tt_send_status(uint32_t ring_index, uint32_t class_count);

#endif
