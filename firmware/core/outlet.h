/* core/outlet.h - the link in use, and one frame at a time on it. Drain thread only. */
#ifndef TICKERTAPE_CORE_OUTLET_H
#define TICKERTAPE_CORE_OUTLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame.h"
#include "tickertape/tickertape.h"

/* Use this link, and number frames from 0. Called by tt_init(). */
void tt_outlet_reset(const tt_link_t *link);

/* Return the link in use, NULL before tt_init(). */
const tt_link_t *tt_outlet_link(void);

/* Return true when the link has room for a frame with a body of `body_bytes`; false before
 * tt_init() and while a frame is open. */
bool tt_outlet_has_room(uint32_t body_bytes);

/* Return true when the link has at least 7/8 of the largest room that it has reported since
 * tt_init(). A frame that is not urgent then delays the next ones little. */
bool tt_outlet_is_idle(void);

/* Return true when the host reads frames in memory (tt_link_t.plain); false before tt_init(). */
static inline bool tt_outlet_is_plain(void)
{
#if TT_CONFIG_MEMORY_LINK
    const tt_link_t *link = tt_outlet_link();
    return link != NULL && link->plain;
#else
    return false;
#endif
}

/*
 * Begin a frame, add bytes, end it; one frame is open at a time. A frame that the link has room for
 * (tt_outlet_has_room()) takes all bytes. A larger frame takes as many as the link has room for:
 * add() then returns fewer than `count`, end() returns false, and the caller continues later with
 * the rest.
 */
void tt_outlet_begin(tt_frame_type_t type, uint32_t stream, uint32_t cpu);
uint32_t tt_outlet_add(const void *bytes, uint32_t count);
bool tt_outlet_end(void);

/* Return true when the link has enough room to continue the open frame. */
bool tt_outlet_may_go_on(void);

/* Return how many bytes the link has taken, modulo 2^32. */
uint32_t tt_outlet_sent_bytes(void);

#endif
