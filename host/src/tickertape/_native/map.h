/* Numbers by number: a hash table that grows, and forgets what was removed when it does. */
#ifndef TICKERTAPE_NATIVE_MAP_H
#define TICKERTAPE_NATIVE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tt_map_item {
    uint64_t key; /* plus one; 0 for a free place */
    uint64_t value;
} tt_map_item_t;

/* All zeros is an empty map. A value of 0 stands for none. */
typedef struct tt_map {
    tt_map_item_t *items;
    uint64_t room; /* a power of two, or 0 */
    uint64_t used; /* places that are not free, those of removed keys among them */
} tt_map_t;

/* The item of a key, NULL when there is none; good until the next tt_map_set(). Any key but the
 * greatest. */
static inline tt_map_item_t *tt_map_item(const tt_map_t *map, uint64_t key)
{
    if (map->room == 0u) {
        return NULL;
    }
    /* Fibonacci hashing: 2^64 divided by the golden ratio. */
    uint64_t at = ((key + 1u) * 0x9e3779b97f4a7c15u >> 32) & (map->room - 1u);
    while (map->items[at].key != key + 1u) {
        if (map->items[at].key == 0u) {
            return NULL;
        }
        at = (at + 1u) & (map->room - 1u);
    }
    return &map->items[at];
}

/* The value of a key, 0 for none. */
static inline uint64_t tt_map_get(const tt_map_t *map, uint64_t key)
{
    const tt_map_item_t *item = tt_map_item(map, key);
    return item == NULL ? 0u : item->value;
}

/* Give a key a value; false without memory. */
bool tt_map_set(tt_map_t *map, uint64_t key, uint64_t value);

/* Take a key's value away and give it; 0 for none. */
static inline uint64_t tt_map_pop(const tt_map_t *map, uint64_t key)
{
    tt_map_item_t *item = tt_map_item(map, key);
    uint64_t value = item == NULL ? 0u : item->value;
    if (item != NULL) {
        item->value = 0;
    }
    return value;
}

/* Forget everything. */
void tt_map_clear(tt_map_t *map);

#endif
