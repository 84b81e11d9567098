#include "open_events.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 8u

void tt_open_events_clear(tt_open_events_t *list)
{
    for (uint64_t i = 0; i < list->count; i++) {
        free(list->events[i].pairs);
    }
    free(list->events);
    memset(list, 0, sizeof *list);
}

bool tt_list_grow(void **items, uint64_t *room, uint64_t count, size_t size)
{
    if (count < *room) {
        return true;
    }
    uint64_t wanted = *room == 0u ? FIRST_ROOM : 2u * *room;
    void *grown = realloc(*items, wanted * size);
    if (grown == NULL) {
        return false;
    }
    *items = grown;
    *room = wanted;
    return true;
}

bool tt_open_events_add(tt_open_events_t *list, tt_open_event_t event)
{
    void *items = list->events;
    if (!tt_list_grow(&items, &list->room, list->count, sizeof event)) {
        return false;
    }
    list->events = items;
    list->events[list->count++] = event;
    return true;
}

tt_open_event_t *tt_open_events_find(const tt_open_events_t *list, uint32_t key, uint32_t low)
{
    for (uint64_t i = list->count; i-- > 0u;) {
        if (list->events[i].key == key && list->events[i].low == low) {
            return &list->events[i];
        }
    }
    return NULL;
}

void tt_open_events_remove(tt_open_events_t *list, uint64_t first, uint64_t count)
{
    if (count == 0u) {
        return;
    }
    tt_open_event_t *gone = list->events + first;
    for (uint64_t i = 0; i < count; i++) {
        free(gone[i].pairs);
    }
    memmove(gone, gone + count, (list->count - first - count) * sizeof *gone);
    list->count -= count;
}

bool tt_open_event_append(tt_open_event_t *event, uint64_t pair)
{
    void *items = event->pairs;
    if (!tt_list_grow(&items, &event->room, event->count, sizeof pair)) {
        return false;
    }
    event->pairs = items;
    event->pairs[event->count++] = pair;
    return true;
}
