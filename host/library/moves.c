#include "moves.h"

#include "record_parts.h"

#define STREAM_SHIFT 16u /* place of the stream in a key: bits that are 0 in identities */

/* Remove one counterpart of `key` from `others`, else add `key` to `own`. Returns 1 if removed, 0
 * if added, -1 without memory. */
static int meet(tt_map_t *others, tt_map_t *own, uint64_t key)
{
    tt_map_item_t *item = tt_map_item(others, key);
    if (item != NULL && item->value != 0u) {
        item->value--;
        return 1;
    }
    return tt_map_set(own, key, tt_map_get(own, key) + 1u) ? 0 : -1;
}

int moves_give_up(moves_t *moves, uint8_t stream, uint64_t identity)
{
    return meet(&moves->moved, &moves->given_up, identity | (uint64_t)stream << STREAM_SHIFT);
}

int moves_find(moves_t *moves, uint8_t stream, uint64_t identity)
{
    if ((identity & ~SAME_BITS) != 0u) {
        return 0; /* no record has such an identity */
    }
    return meet(&moves->given_up, &moves->moved, identity | (uint64_t)stream << STREAM_SHIFT);
}

void moves_clear(moves_t *moves)
{
    tt_map_clear(&moves->given_up);
    tt_map_clear(&moves->moved);
}
