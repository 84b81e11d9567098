/*
 * Combine events that wait for their END.
 *
 * Almost none do: an event whose records are neighbours never comes here. The others are searched
 * from the most recent one back, which is the one that an interrupt or another thread left open.
 */
#ifndef TICKERTAPE_NATIVE_OPEN_EVENTS_H
#define TICKERTAPE_NATIVE_OPEN_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An event is given up when its END has not come so many records later (wire.yaml). */
#define TT_MAX_COMBINE_RECORDS 4096u

typedef struct tt_open_event {
    uint32_t key; /* CPU, keyed, class and event as in the header */
    uint32_t low; /* low word of the time, or the key */
    uint64_t ordinal;
    uint64_t row;     /* of its event */
    uint64_t records; /* so far */
    uint64_t *pairs;  /* data words of its payload so far, as they lie in the tape */
    uint64_t count;
    uint64_t room;
    uint64_t begins; /* more than 1: records of several indistinguishable events */
    uint64_t ends;   /* counted in that case */
} tt_open_event_t;

/* In order of their BEGINs. All zeros is an empty list. */
typedef struct tt_open_events {
    tt_open_event_t *events;
    uint64_t count;
    uint64_t room;
} tt_open_events_t;

/* Room for one more item of `size` bytes in an array; false without memory. */
bool tt_list_grow(void **items, uint64_t *room, uint64_t count, size_t size);

/* Free all memory of the list; it is empty then. */
void tt_open_events_clear(tt_open_events_t *list);

/* Add an event without records at the end; false without memory. */
bool tt_open_events_add(tt_open_events_t *list, tt_open_event_t event);

/* The most recent event with this key and time; NULL when there is none. */
tt_open_event_t *tt_open_events_find(const tt_open_events_t *list, uint32_t key, uint32_t low);

/* Take `count` events from number `first` on out of the list and free them. */
void tt_open_events_remove(tt_open_events_t *list, uint64_t first, uint64_t count);

/* Add the data words of one more record to an event; false without memory. */
bool tt_open_event_append(tt_open_event_t *event, uint64_t pair);

#endif
