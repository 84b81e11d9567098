/* The event types of protocol/events.yaml, for tt_tape_type(). */
#ifndef TICKERTAPE_LIBRARY_EVENT_TYPES_H
#define TICKERTAPE_LIBRARY_EVENT_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "tickertape/tape.h"

typedef struct event_type {
    uint32_t code; /* class << 10 | event */
    tt_tape_type_t type;
} event_type_t;

/* Table of `event_type_count` types in ascending order of `code`. */
extern const event_type_t event_types[];
extern const size_t event_type_count;

#endif
