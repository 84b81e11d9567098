/* core/selection.h - which event types each stream has selected; the routes follow from it. */
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

/* The requests: a bit for each entry of the route table. */
typedef struct tt_requested {
    uint32_t selected[TT_CONFIG_STREAMS][TT_SELECTION_WORDS];
    uint32_t wide[TT_SELECTION_WORDS];
#if TT_CONFIG_EVENT_MASKS
    /* Events that share an entry and are selected otherwise than the rest of it:
     * TT_EVENT_MASK_OF(), or 0 for a free place. Each change counts in tt_filter_version. */
    _Atomic uint32_t masks[TT_CONFIG_EVENT_MASKS];
    _Atomic uint32_t mask_end; /* the places from here on are free */
#endif
} tt_requested_t;

/* Written by route.c, word by word under the control lock; read without it. */
extern tt_requested_t tt_requested;

/* True when this entry of a class is the one of all its events without an entry of their own. */
static inline bool tt_route_is_other(uint32_t event_class, uint32_t index)
{
    return index + 1u == tt_class_first_route(event_class + 1u);
}

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

static inline uint32_t tt_event_mask_streams(uint32_t mask)
{
    return (mask & ~TT_EVENT_MASK_USED) >> 16;
}

static inline uint32_t tt_route_of(uint32_t type)
{
    return tt_route_find(tt_record_class(type), tt_record_event(type));
}

/* The streams that have an entry of the route table selected: those of its events without a mask.
 * Any context. */
uint32_t tt_selection_of_route(uint32_t index);

/* The place of an event type's mask, else the first free place; TT_CONFIG_EVENT_MASKS when there is
 * neither. */
uint32_t tt_event_mask_find(uint32_t type);

/* The streams that take any event of an entry by its mask, with TT_EVENT_MASK_USED when it has such
 * an event; else 0. */
uint32_t tt_event_masks_of_route(uint32_t index);

/* True when an event of the entry has a mask in which this stream is selected otherwise. */
bool tt_event_mask_differs(uint32_t stream, uint32_t index);

/* Those of `streams` that take the event of this header, which has the entry `index`. Any context.
 */
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
