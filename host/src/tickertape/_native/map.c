#include "map.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64u

static bool grow(tt_map_t *map)
{
    uint64_t living = 0;
    for (uint64_t i = 0; i < map->room; i++) {
        living += map->items[i].value != 0u;
    }
    uint64_t room = FIRST_ROOM;
    while (room < 4u * living) {
        room *= 2u;
    }
    tt_map_item_t *items = calloc(room, sizeof *items);
    if (items == NULL) {
        return false;
    }
    tt_map_t old = *map;
    *map = (tt_map_t){.items = items, .room = room};
    for (uint64_t i = 0; i < old.room; i++) {
        if (old.items[i].value != 0u) {
            (void)tt_map_set(map, old.items[i].key - 1u, old.items[i].value);
        }
    }
    free(old.items);
    return true;
}

bool tt_map_set(tt_map_t *map, uint64_t key, uint64_t value)
{
    tt_map_item_t *item = tt_map_item(map, key);
    if (item != NULL) {
        item->value = value;
        return true;
    }
    if (2u * map->used >= map->room && !grow(map)) {
        return false;
    }
    uint64_t at = ((key + 1u) * 0x9e3779b97f4a7c15u >> 32) & (map->room - 1u);
    while (map->items[at].key != 0u) {
        at = (at + 1u) & (map->room - 1u);
    }
    map->items[at] = (tt_map_item_t){.key = key + 1u, .value = value};
    map->used++;
    return true;
}

void tt_map_clear(tt_map_t *map)
{
    free(map->items);
    memset(map, 0, sizeof *map);
}
