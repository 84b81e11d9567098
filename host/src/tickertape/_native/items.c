#include "items.h"

#include <stdlib.h>
#include <string.h>

#include "interface.h"

#define FIRST_ROOM 16u

void *tt_items_add(tt_items_t *items, size_t item_bytes, int *status)
{
    if (items->count == items->room) {
        uint64_t room = items->room == 0u ? FIRST_ROOM : 2u * items->room;
        void *more = room > SIZE_MAX / item_bytes ? NULL : realloc(items->items, room * item_bytes);
        if (more == NULL) {
            *status = TT_LIVES_NO_MEMORY;
            return NULL;
        }
        items->items = more;
        items->room = room;
    }
    return memset((uint8_t *)items->items + item_bytes * items->count++, 0, item_bytes);
}

void tt_items_remove(tt_items_t *items, size_t item_bytes, uint64_t at)
{
    uint8_t *item = (uint8_t *)items->items + item_bytes * at;
    items->count--;
    memmove(item, item + item_bytes, item_bytes * (items->count - at));
}
