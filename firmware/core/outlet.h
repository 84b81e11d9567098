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

/* True when the link has room for a frame with a body of `body_bytes`; false before tt_init(). */
bool tt_outlet_has_room(uint32_t body_bytes);

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

/* Begin a frame; tt_frame_add() goes on with it, tt_outlet_end() ends it. */
void tt_outlet_begin(tt_frame_t *frame, tt_frame_type_t type, uint32_t stream, uint32_t cpu);
void tt_outlet_end(tt_frame_t *frame);

/* Bytes of all frames so far, modulo 2^32. */
uint32_t tt_outlet_sent_bytes(void);

#endif
