/*
 * core/pack_kinds.h - which kinds of records (different headers) the packer knows, and which of
 * them the body has that is being encoded.
 */
#ifndef TICKERTAPE_CORE_PACK_KINDS_H
#define TICKERTAPE_CORE_PACK_KINDS_H

#include <stdint.h>

#include "pack.h"

/* Kinds that the control byte of a record names by itself: those with the lowest numbers. */
#define TT_PACK_DIRECT_KINDS 3u

/* Number of a kind that the body does not have, at least not yet. */
#define TT_PACK_NO_NUMBER TT_PACK_KINDS

/* Where a simple event's kind is looked for: its number, and what distinguishes kernel calls and
 * classes. */
static inline uint32_t tt_pack_place(uint32_t header)
{
    return (header ^ header >> 7) % TT_PACK_PLACES;
}

/* The kind of a header that is not in that place: known all the same, new, or instead of one that
 * the body does not have. NULL when it has them all. */
tt_pack_kind_t *tt_pack_find_kind(tt_pack_t *pack, uint32_t header);

/* Give a kind its number in the body; returns its `use`. */
uint32_t tt_pack_take_in(tt_pack_t *pack, tt_pack_kind_t *kind);

/* Begin a body with the direct kinds of the last one; the least frequent of them gives way to the
 * most frequent of the others. */
void tt_pack_begin(tt_pack_t *pack);

#endif
