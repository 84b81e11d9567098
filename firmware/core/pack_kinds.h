/*
 * core/pack_kinds.h - the kinds of records (different headers) that the packer
 * knows, and those in the current body.
 */
#ifndef TICKERTAPE_CORE_PACK_KINDS_H
#define TICKERTAPE_CORE_PACK_KINDS_H

#include <stdint.h>

#include "pack.h"

/* Kinds that the control byte of a record names by itself: those with the lowest numbers. */
#define TT_PACK_DIRECT_KINDS 3u

/* Number of a kind that the body does not have, at least not yet. */
#define TT_PACK_NO_NUMBER TT_PACK_KINDS

/* Hash of a header: the high bits of its product with an odd factor. */
static inline uint32_t tt_pack_place(uint32_t header, uint32_t factor)
{
    return header * factor >> (32u - TT_PACK_PLACE_BITS);
}

/* Find the kind of a header that is not in its first place. On a miss allocate one, or evict one
 * that the current body does not use. NULL if all are in use. */
tt_pack_kind_t *tt_pack_find_kind(tt_pack_t *pack, uint32_t header);

/* Give a kind its number in the body; returns its `use`. */
uint32_t tt_pack_take_in(tt_pack_t *pack, tt_pack_kind_t *kind);

/* Begin a body with the direct kinds that tt_pack_end() chose. */
void tt_pack_begin(tt_pack_t *pack);

#endif
