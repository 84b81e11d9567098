/*
 * List of combine events that wait for their END.
 *
 * It is short, because an event whose records are neighbours is never added. A search begins with
 * the most recent event, which an interrupt or another thread usually continues.
 */
#ifndef TICKERTAPE_NATIVE_OPEN_EVENTS_H
#define TICKERTAPE_NATIVE_OPEN_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An event is given up if its END is more than this many records later (wire.yaml). */
#define TT_MAX_COMBINE_RECORDS 4096u

typedef struct tt_open_event {
    uint32_t key; /* CPU, keyed, class and event as in the header */
    uint32_t low; /* low word of the time, or the key of a keyed event */
    uint64_t ordinal;
    uint64_t row;     /* row of the event in the columns */
    uint64_t records; /* number of records so far */
    uint64_t *pairs;  /* data words of its payload so far, as stored on the tape */
    uint64_t count;
    uint64_t room;
    uint64_t begins; /* number of BEGINs; above 1, the events cannot be distinguished */
    uint64_t ends;   /* number of ENDs, counted in that case only */
} tt_open_event_t;

/* Events in order of their BEGINs. All zeros is an empty list. */
typedef struct tt_open_events {
    tt_open_event_t *events;
    uint64_t count;
    uint64_t room;
} tt_open_events_t;

/* Make room for one more item of `size` bytes in an array; false without memory. */
bool tt_list_grow(void **items, uint64_t *room, uint64_t count, size_t size);

/* Free the memory of the list; it is empty afterwards. */
void tt_open_events_clear(tt_open_events_t *list);

/* Add an event without records at the end; false without memory. */
bool tt_open_events_add(tt_open_events_t *list, tt_open_event_t event);

/* Return the most recent event with this key and time; NULL if there is none. */
tt_open_event_t *tt_open_events_find(const tt_open_events_t *list, uint32_t key, uint32_t low);

/* Remove `count` events from index `first` on from the list and free them. */
void tt_open_events_remove(tt_open_events_t *list, uint64_t first, uint64_t count);

/* Add the data words of one more record to an event; false without memory. */
bool tt_open_event_append(tt_open_event_t *event, uint64_t pair);

#endif
