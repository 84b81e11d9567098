/*
 * core/pack_kinds.h - the kinds of records (different headers) that the packer knows, and those of
 * the current body. Drain thread only.
 */
#ifndef TICKERTAPE_CORE_PACK_KINDS_H
#define TICKERTAPE_CORE_PACK_KINDS_H

#include <stdint.h>

#include "pack.h"

/* Number of direct kinds, those with the lowest numbers: the control byte of a record contains the
 * number of its kind. */
#define TT_PACK_DIRECT_KINDS 3u

/* Number of a kind that has not occurred in the body. */
#define TT_PACK_NO_NUMBER TT_PACK_KINDS

/* Return the hash of a header: the high bits of its product with an odd factor. */
static inline uint32_t tt_pack_place(uint32_t header, uint32_t factor)
{
    return header * factor >> (32u - TT_PACK_PLACE_BITS);
}

/* Find the kind of a header that is not at its hash. If it is unknown, allocate a kind, or replace
 * one that the current body does not use. Returns NULL if the body uses all kinds. */
tt_pack_kind_t *tt_pack_find_kind(tt_pack_t *pack, uint32_t header);

/* Give a kind the next number in the body and clear its predictions. Returns its `use`. */
uint32_t tt_pack_take_in(tt_pack_t *pack, tt_pack_kind_t *kind);

/* Begin a body with the direct kinds that tt_pack_end() chose. */
void tt_pack_begin(tt_pack_t *pack);

#endif
