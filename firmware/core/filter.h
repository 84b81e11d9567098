/* core/filter.h - thread filters and handlers, and their decision about an event. */
#ifndef TICKERTAPE_CORE_FILTER_H
#define TICKERTAPE_CORE_FILTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "selection.h"
#include "shared.h"
#include "tickertape/events.h"
#include "tickertape/filter.h"

/* A range of entries of the route table: the index of the first one in the lower half-word, the end
 * (exclusive) in the upper one. 0: no range. */
typedef uint32_t tt_route_range_t;
#define TT_ROUTE_RANGE(first, end) ((tt_route_range_t)(first) | (tt_route_range_t)(end) << 16)
#define TT_EVERY_ROUTE             TT_ROUTE_RANGE(0u, TT_ROUTE_COUNT)

static inline uint32_t tt_route_range_first(tt_route_range_t range)
{
    return range & 0xffffu;
}

static inline uint32_t tt_route_range_end(tt_route_range_t range)
{
    return range >> 16;
}

/* Stages of the checks, in their order. */
typedef enum tt_filter_stage {
    TT_FILTER_THREAD,
    TT_FILTER_CLASS_HANDLER,
    TT_FILTER_EVENT_HANDLER,
} tt_filter_stage_t;

/* A thread filter or handler for the event types of a range; a slot with range 0 is free. */
typedef struct tt_filter {
    tt_route_range_t range;
    tt_filter_stage_t stage;
#if TT_CONFIG_EVENT_MASKS
    uint16_t event; /* the only event of a shared entry that it covers, or TT_FILTER_EVERY */
#endif
    union {
        struct {
            uint32_t pid;
            uint32_t tid;
        } thread; /* TT_FILTER_THREAD */
        struct {
            tt_handler_t handler;
            void *context;
        } call; /* the other stages */
    } by;
} tt_filter_t;

#define TT_FILTER_EVERY 0xffffu

/* Written by settings.c under the control lock; the version counts changes of filters and event
 * masks. */
extern tt_filter_t tt_filters[TT_CONFIG_FILTERS];
extern _Atomic uint32_t tt_filter_version;

/* Return true when a thread filter or handler covers the event type at this index of the route
 * table. A filter that is added meanwhile may be missed; tt_filter_version has then changed. Any
 * context. */
bool tt_filter_covers(uint32_t index);

/* Return whether thread filters and handlers let an event pass. `data` is NULL when the payload is
 * not known yet. Any context, interrupts unmasked. */
bool tt_filter_pass(uint32_t header, const uint32_t *data, uint32_t word_count);

#if TT_CONFIG_EVENT_MASKS
/* Return those of `streams` that take an event, according to its event mask and the filters. */
uint32_t tt_filter_single(uint32_t header, const uint32_t *data, uint32_t word_count,
                          uint32_t streams);
#endif

/* Return the streams of a route that take an event, according to its event mask and the filters. */
TT_INLINE uint32_t tt_filter_streams(uint32_t header, const uint32_t *data, uint32_t word_count,
                                     uint32_t route)
{
    uint32_t streams = route & TT_ROUTE_STREAMS_MASK;
    if ((route & TT_ROUTE_SLOW) != 0u) {
#if TT_CONFIG_EVENT_MASKS
        streams = tt_filter_single(header, data, word_count, streams);
#else
        streams *= (uint32_t)tt_filter_pass(header, data, word_count); /* less code than a branch */
#endif
    }
    return streams;
}

#endif
