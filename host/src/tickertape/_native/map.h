/* Hash table from numbers to numbers. It grows, and then drops removed keys. */
#ifndef TICKERTAPE_NATIVE_MAP_H
#define TICKERTAPE_NATIVE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tt_map_item {
    uint64_t key; /* key plus one; 0: free */
    uint64_t value;
} tt_map_item_t;

/* All zeros is an empty map. Value 0 means no value. */
typedef struct tt_map {
    tt_map_item_t *items;
    uint64_t room; /* a power of two, or 0 */
    uint64_t used; /* places that are not free, including those of removed keys */
} tt_map_t;

/* Return the item of a key, NULL if there is none; valid until the next tt_map_set(). UINT64_MAX is
 * not a valid key. */
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

/* Return the value of a key; 0 if it has none. */
static inline uint64_t tt_map_get(const tt_map_t *map, uint64_t key)
{
    const tt_map_item_t *item = tt_map_item(map, key);
    return item == NULL ? 0u : item->value;
}

/* Set the value of a key; false without memory. */
bool tt_map_set(tt_map_t *map, uint64_t key, uint64_t value);

/* Remove the value of a key and return it; 0 if it has none. */
static inline uint64_t tt_map_pop(const tt_map_t *map, uint64_t key)
{
    tt_map_item_t *item = tt_map_item(map, key);
    uint64_t value = item == NULL ? 0u : item->value;
    if (item != NULL) {
        item->value = 0;
    }
    return value;
}

/* Remove all keys and free the memory. */
void tt_map_clear(tt_map_t *map);

#endif
