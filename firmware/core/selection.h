/* core/selection.h - the event types that each stream has selected; the routes are computed from
 * it. */
#ifndef TICKERTAPE_CORE_SELECTION_H
#define TICKERTAPE_CORE_SELECTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tickertape/config.h"
#include "tickertape/events.h"
#include "tickertape/tickertape.h"

#define TT_SELECTION_WORD_BITS 32u
#define TT_SELECTION_WORDS ((TT_ROUTE_COUNT + TT_SELECTION_WORD_BITS - 1u) / TT_SELECTION_WORD_BITS)

/* All requests of callers, as bit arrays with one bit for each entry of the route table. */
typedef struct tt_requested {
    uint32_t selected[TT_CONFIG_STREAMS][TT_SELECTION_WORDS];
    uint32_t wide[TT_SELECTION_WORDS];
#if TT_CONFIG_EVENT_MASKS
    /* Event masks, TT_EVENT_MASK_OF(), of events that share an entry and are selected differently
     * from the rest of it; 0: a free place. Each change increments tt_filter_version. */
    _Atomic uint32_t masks[TT_CONFIG_EVENT_MASKS];
    _Atomic uint32_t mask_end; /* all places from this one on are free */
#endif
} tt_requested_t;

/* Written by route.c, word by word under the control lock; read without it. */
extern tt_requested_t tt_requested;

/* Return true when this entry of a class is shared by all its events without an entry of their
 * own. */
static inline bool tt_route_is_other(uint32_t event_class, uint32_t index)
{
    return index + 1u == tt_class_first_route(event_class + 1u);
}

/* Return the bit of an entry. Any context. */
static inline bool tt_selection_bit(const uint32_t *words, uint32_t index)
{
    uint32_t word = __atomic_load_n(&words[index / TT_SELECTION_WORD_BITS], __ATOMIC_RELAXED);
    return ((word >> (index % TT_SELECTION_WORD_BITS)) & 1u) != 0u;
}

#if TT_CONFIG_EVENT_MASKS

/* An event mask: an event type (class and event as in the header of a record) and the streams that
 * take it. */
#define TT_EVENT_MASK_OF(type, streams) (TT_EVENT_MASK_USED | (streams) << 16 | (type))
#define TT_EVENT_MASK_USED              (1u << 31)
#define TT_EVENT_MASK_TYPE              (TT_RECORD_CLASS_MASK | TT_RECORD_EVENT_MASK)

/* Return the streams in an event mask. */
static inline uint32_t tt_event_mask_streams(uint32_t mask)
{
    return (mask & ~TT_EVENT_MASK_USED) >> 16;
}

/* Return the entry of the route table for the event type in a header or an event mask. */
static inline uint32_t tt_route_of(uint32_t type)
{
    return tt_route_find(tt_record_class(type), tt_record_event(type));
}

/* Return the streams that have an entry of the route table selected; they take its events without a
 * mask. Any context. */
uint32_t tt_selection_of_route(uint32_t index);

/* Return the place of an event type's mask, else the first free place, else
 * TT_CONFIG_EVENT_MASKS. */
uint32_t tt_event_mask_find(uint32_t type);

/* Return the union of the streams in all event masks of an entry, with TT_EVENT_MASK_USED; 0 if it
 * has none. */
uint32_t tt_event_masks_of_route(uint32_t index);

/* Return true when an event mask of the entry differs from the entry's selection for this
 * stream. */
bool tt_event_mask_differs(uint32_t stream, uint32_t index);

/* Return those of `streams` that take the event with this header; `index` is its entry. Any
 * context. */
uint32_t tt_selection_of_event(uint32_t header, uint32_t index, uint32_t streams);

#else

static inline uint32_t tt_event_masks_of_route(uint32_t index)
{
    (void)index;
    return 0;
}

static inline bool tt_event_mask_differs(uint32_t stream, uint32_t index)
{
    (void)stream;
    (void)index;
    return false;
}

static inline uint32_t tt_selection_of_event(uint32_t header, uint32_t index, uint32_t streams)
{
    (void)header;
    (void)index;
    return streams;
}

#endif

#endif
