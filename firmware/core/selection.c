/*
 * The event types that each stream has selected. An entry of the route table has a bit for each
 * stream. If several events share an entry, a list of event masks contains those that are selected
 * differently from the rest. The route of such an entry is the union of all, with TT_ROUTE_SLOW,
 * and the slow path finds the streams of one event in this list. The list is read without a lock,
 * because a mask is one word.
 */
#include "selection.h"

#include <stddef.h>

#include "shared.h"

tt_requested_t tt_requested;

#if TT_CONFIG_EVENT_MASKS

uint32_t tt_selection_of_route(uint32_t index)
{
    uint32_t streams = 0;
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        streams |= (uint32_t)tt_selection_bit(tt_requested.selected[stream], index) << stream;
    }
    return streams;
}

/* Return whether a mask, which may be 0, is that of an event type. */
static bool is_of(uint32_t mask, uint32_t type)
{
    return ((mask ^ (TT_EVENT_MASK_USED | type)) & (TT_EVENT_MASK_USED | TT_EVENT_MASK_TYPE)) == 0u;
}

uint32_t tt_event_mask_find(uint32_t type)
{
    uint32_t place = TT_CONFIG_EVENT_MASKS;
    for (uint32_t i = TT_CONFIG_EVENT_MASKS; i > 0u; i--) {
        uint32_t mask = tt_peek(&tt_requested.masks[i - 1u]);
        if (is_of(mask, type)) {
            return i - 1u;
        }
        place = mask == 0u ? i - 1u : place;
    }
    return place;
}

/* Return the mask at a place if it belongs to this entry, else 0. */
static uint32_t mask_at(uint32_t place, uint32_t index)
{
    uint32_t mask = tt_peek(&tt_requested.masks[place]);
    return mask != 0u && tt_route_of(mask) == index ? mask : 0u;
}

uint32_t tt_event_masks_of_route(uint32_t index)
{
    uint32_t streams = 0;
    for (uint32_t i = 0; i < tt_peek(&tt_requested.mask_end); i++) {
        uint32_t mask = mask_at(i, index);
        streams |= tt_event_mask_streams(mask) | (mask & TT_EVENT_MASK_USED);
    }
    return streams;
}

bool tt_event_mask_differs(uint32_t stream, uint32_t index)
{
    bool is_selected = tt_selection_bit(tt_requested.selected[stream], index);
    for (uint32_t i = 0; i < tt_peek(&tt_requested.mask_end); i++) {
        uint32_t mask = mask_at(i, index);
        if (mask != 0u && (((tt_event_mask_streams(mask) >> stream) & 1u) != 0u) != is_selected) {
            return true;
        }
    }
    return false;
}

uint32_t tt_selection_of_event(uint32_t header, uint32_t index, uint32_t streams)
{
    const uint32_t type = header & TT_EVENT_MASK_TYPE;
    if (!tt_route_is_other(tt_record_class(header), index)) {
        return streams;
    }
    const _Atomic uint32_t *place = tt_requested.masks;
    const _Atomic uint32_t *end = place + tt_peek(&tt_requested.mask_end);
    for (; place < end; place++) {
        uint32_t mask = tt_peek(place);
        if (is_of(mask, type)) {
            return streams & tt_event_mask_streams(mask);
        }
    }
    return streams & tt_selection_of_route(index);
}

#endif
