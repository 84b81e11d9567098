#include "pack_kinds.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "ring.h"
#include "tickertape/events.h"

#if TT_CONFIG_PACKING

/* Return whether a kind has a number in the current body. */
static bool is_in_body(const tt_pack_kind_t *kind)
{
    return kind->use < TT_PACK_NO_NUMBER << TT_PACK_NUMBER_SHIFT;
}

/* Number of hash factors that are tried per body, and in all until another kind becomes known. They
 * are odd multiples of the first factor. */
#define FACTORS_OF_A_BODY 8u
#define FACTORS           64u

/* Return the predictors of both words, four bits each, as a packed body contains them. */
static uint32_t predictors_of(uint32_t header)
{
    uint32_t route = tt_route_index(tt_record_class(header), header & TT_RECORD_EVENT_MASK);
    uint32_t both = tt_route_predictors[route / 2u] >> 4u * (route % 2u);
    return (both & 3u) | (both & 12u) << 2;
}

/* Make `kind` the kind of a header. The last value of the same word predicts a word of a combine
 * event. */
static void learn(tt_pack_t *pack, tt_pack_kind_t *kind, uint32_t header)
{
    bool simple = (header & TT_RECORD_STRUCT_MASK) == 0u;
    uint32_t predictors = simple ? predictors_of(header) : TT_PREDICTOR_SAME;
    kind->header = header;
    kind->use = TT_PACK_NO_NUMBER << TT_PACK_NUMBER_SHIFT | predictors << TT_PACK_PREDICTORS_SHIFT;
#if !TT_CONFIG_SMALL_PACKING
    kind->predicted[0] = tt_pack_find_predicted(pack, kind, 0);
    kind->predicted[1] = tt_pack_find_predicted(pack, kind, 1);
    pack->factors_left = FACTORS;
#endif
}

void tt_pack_reset(tt_pack_t *pack)
{
    memset(pack, 0, sizeof *pack);
#if !TT_CONFIG_SMALL_PACKING /* else all references are 0, the first kind */
    pack->factor = TT_PACK_FIRST_FACTOR;
    for (uint32_t i = 0; i < TT_PACK_PLACES; i++) {
        pack->kind_at[i] = &pack->kinds[0];
    }
#endif
    learn(pack, &pack->kinds[0], 0);
    pack->known_count = 1;
}

/* Return the entry in which the kind of a header is, or will be. */
static tt_pack_ref_t *place_of(tt_pack_t *pack, uint32_t header)
{
    tt_pack_ref_t *place = tt_pack_first_place(pack, header);
#if !TT_CONFIG_SMALL_PACKING
    if ((*place)->header != header && is_in_body(*place)) {
        pack->collided = true; /* that kind stays there; this header uses a second place for now */
        place = &pack->kind_at[(uint32_t)(place - pack->kind_at) ^ (TT_PACK_PLACES / 2u)];
    }
#endif
    return place;
}

/* Return an unused kind, or one that the current body does not use. NULL if the body uses all. */
static tt_pack_kind_t *find_idle(tt_pack_t *pack)
{
    if (pack->known_count < TT_PACK_KINDS) {
        return &pack->kinds[pack->known_count++];
    }
    for (tt_pack_kind_t *kind = &pack->kinds[TT_PACK_KINDS]; kind-- != pack->kinds;) {
        if (!is_in_body(kind)) {
            return kind;
        }
    }
    return NULL;
}

tt_pack_kind_t *tt_pack_find_kind(tt_pack_t *pack, uint32_t header)
{
    tt_pack_ref_t *place = place_of(pack, header);
    tt_pack_kind_t *found = tt_pack_kind(pack, *place);
    if (found->header == header) {
        return found;
    }
    found = &pack->kinds[pack->known_count - 1u]; /* the first ones occur at the boot */
    while (found->header != header && found != pack->kinds) {
        found--;
    }
    if (found->header != header) {
        found = find_idle(pack);
        if (found == NULL) {
            return NULL;
        }
        learn(pack, found, header);
    }
    *place = tt_pack_ref(pack, found);
    return found;
}

uint32_t tt_pack_take_in(tt_pack_t *pack, tt_pack_kind_t *kind)
{
    uint32_t number = pack->kind_count++;
    pack->kind_of[number] = tt_pack_ref(pack, kind);
    kind->use = number << TT_PACK_NUMBER_SHIFT | (kind->use & TT_PACK_PREDICTORS_MASK);
    kind->last[0] = 0;
    kind->last[1] = 0;
    return kind->use;
}

#if !TT_CONFIG_SMALL_PACKING

/* Return true when all known kinds have different hashes with a factor. */
static bool separates(const tt_pack_t *pack, uint32_t factor)
{
    uint32_t taken[TT_PACK_PLACES / 32u] = {0};
    for (uint32_t i = 0; i < pack->known_count; i++) {
        uint32_t place = tt_pack_place(pack->kinds[i].header, factor);
        uint32_t bit = 1u << (place % 32u);
        if ((taken[place / 32u] & bit) != 0u) {
            return false;
        }
        taken[place / 32u] |= bit;
    }
    return true;
}

/* Search a factor that separates all known kinds, because two kinds of the last body had the same
 * hash. */
static void separate(tt_pack_t *pack)
{
    pack->collided = false;
    for (uint32_t i = 0; i < FACTORS_OF_A_BODY && pack->factors_left != 0u; i++) {
        uint32_t tried = FACTORS - pack->factors_left--;
        uint32_t factor = pack->factor + 2u * TT_PACK_FIRST_FACTOR * (tried + 1u);
        if (separates(pack, factor)) {
            pack->factor = factor;
            for (uint32_t k = 0; k < pack->known_count; k++) {
                tt_pack_kind_t *kind = &pack->kinds[k];
                pack->kind_at[tt_pack_place(kind->header, factor)] = kind;
            }
            return;
        }
    }
}

#endif

void tt_pack_begin(tt_pack_t *pack)
{
#if !TT_CONFIG_SMALL_PACKING
    if (pack->collided && pack->factors_left != 0u) {
        separate(pack);
    }
#endif
    uint32_t direct_count = pack->kind_count;
    pack->kind_count = 0;
    for (uint32_t i = 0; i < direct_count; i++) {
        (void)tt_pack_take_in(pack, tt_pack_kind(pack, pack->kind_of[i]));
    }
    pack->shared[0] = 0;
    pack->shared[1] = 0;
    pack->escape_end = pack->escapes;
}

void tt_pack_end(tt_pack_t *pack, _Atomic uint32_t *records_by_class)
{
    uint32_t count = pack->kind_count;
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;
    uint32_t least_number = 0;
    uint32_t most_number = 0;
    for (uint32_t i = 0; i < count; i++) {
        tt_pack_kind_t *kind = tt_pack_kind(pack, pack->kind_of[i]);
        uint32_t use = kind->use;
        uint32_t records = use & TT_PACK_RECORDS_MASK;
        tt_count(&records_by_class[tt_record_class(kind->header)], records);
        kind->use = TT_PACK_NO_NUMBER << TT_PACK_NUMBER_SHIFT | (use & TT_PACK_PREDICTORS_MASK);
        if (i < TT_PACK_DIRECT_KINDS && records < least) {
            least = records;
            least_number = i;
        } else if (i >= TT_PACK_DIRECT_KINDS && records > most) {
            most = records;
            most_number = i;
        }
    }
    if (most > least) {
        pack->kind_of[least_number] = pack->kind_of[most_number];
    }
    pack->kind_count = (uint8_t)(count < TT_PACK_DIRECT_KINDS ? count : TT_PACK_DIRECT_KINDS);
}

#endif
