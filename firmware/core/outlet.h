/*
 * core/outlet.h - the link in use and the count of frames. Drain thread only.
 */
#ifndef TICKERTAPE_CORE_OUTLET_H
#define TICKERTAPE_CORE_OUTLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame.h"
#include "tickertape/tickertape.h"

/* Use this link from now on, and count frames from 0. */
void tt_outlet_reset(const tt_link_t *link);

/* The link in use, NULL before tt_init(). */
const tt_link_t *tt_outlet_link(void);

/* True when the link has room for a frame with a body of `body_bytes`; false before tt_init() and
 * while a frame is open. */
bool tt_outlet_has_room(uint32_t body_bytes);

/* True when the link has at least 7/8 of the most room that it has ever reported: what is not
 * urgent then delays what comes after it little. */
bool tt_outlet_is_idle(void);

/* True when frames go into memory that the host reads (tt_link_t.plain); false before tt_init(). */
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
 * Begin a frame, add to it, end it; one frame is open at a time. A frame that the link has room for
 * (tt_outlet_has_room()) takes all bytes. Another one takes what there is room for: add() then
 * returns less, end() false, and the caller goes on later with what is left.
 */
void tt_outlet_begin(tt_frame_type_t type, uint32_t stream, uint32_t cpu);
uint32_t tt_outlet_add(const void *bytes, uint32_t count);
bool tt_outlet_end(void);

/* True when going on with the open frame is worth a step: the link has room for a part of it. */
bool tt_outlet_may_go_on(void);

/* Bytes that the link was given so far, modulo 2^32. */
uint32_t tt_outlet_sent_bytes(void);

#endif
