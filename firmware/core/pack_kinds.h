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

/* The first factor of the hash: 2^32 divided by the golden ratio. */
#define TT_PACK_FIRST_FACTOR 0x9e3779b9u

/* Return the hash of a header: the high bits of its product with an odd factor. */
static inline uint32_t tt_pack_place(uint32_t header, uint32_t factor)
{
    return header * factor >> (32u - TT_PACK_PLACE_BITS);
}

/* Return the entry at the hash of a header. */
static inline tt_pack_ref_t *tt_pack_first_place(tt_pack_t *pack, uint32_t header)
{
#if TT_CONFIG_SMALL_PACKING
    return &pack->kind_at[tt_pack_place(header, TT_PACK_FIRST_FACTOR)];
#else
    return &pack->kind_at[tt_pack_place(header, pack->factor)];
#endif
}

/* Convert a reference to a kind, and a kind to a reference. */
static inline tt_pack_kind_t *tt_pack_kind(tt_pack_t *pack, tt_pack_ref_t ref)
{
#if TT_CONFIG_SMALL_PACKING
    return &pack->kinds[ref];
#else
    (void)pack;
    return ref;
#endif
}

static inline tt_pack_ref_t tt_pack_ref(const tt_pack_t *pack, tt_pack_kind_t *kind)
{
#if TT_CONFIG_SMALL_PACKING
    return (tt_pack_ref_t)(kind - pack->kinds);
#else
    (void)pack;
    return kind;
#endif
}

/* Return the value that predicts a word (0 or 1) of a kind: find it by the kind's predictors. */
static inline uint32_t *tt_pack_find_predicted(tt_pack_t *pack, tt_pack_kind_t *kind, uint32_t word)
{
    uint32_t predictor = kind->use >> (TT_PACK_PREDICTORS_SHIFT + 4u * word) & 15u;
    _Static_assert(TT_PREDICTOR_SAME == 0 && TT_PREDICTOR_THREAD == 1 && TT_PREDICTOR_OBJECT == 2,
                   "the others are indices of `shared`");
    return predictor == TT_PREDICTOR_SAME ? &kind->last[word] : &pack->shared[predictor - 1u];
}

/* The same, from the kind if it contains the address. */
static inline uint32_t *tt_pack_predicted(tt_pack_t *pack, tt_pack_kind_t *kind, uint32_t word)
{
#if TT_CONFIG_SMALL_PACKING
    return tt_pack_find_predicted(pack, kind, word);
#else
    (void)pack;
    return kind->predicted[word];
#endif
}

/* Find the kind of a header that is not at its hash. If it is unknown, allocate a kind, or replace
 * one that the current body does not use. Returns NULL if the body uses all kinds. */
tt_pack_kind_t *tt_pack_find_kind(tt_pack_t *pack, uint32_t header);

/* Give a kind the next number in the body and clear its predictions. Returns its `use`. */
uint32_t tt_pack_take_in(tt_pack_t *pack, tt_pack_kind_t *kind);

/* Begin a body with the direct kinds that tt_pack_end() chose. */
void tt_pack_begin(tt_pack_t *pack);

#endif
