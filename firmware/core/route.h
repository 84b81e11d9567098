/* core/route.h - the routes of event types, and the selection they follow from. */
#ifndef TICKERTAPE_CORE_ROUTE_H
#define TICKERTAPE_CORE_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "filter.h"
#include "tickertape/events.h"

/* Clear the selection of every stream. Called by tt_init(), which then refreshes the routes. */
void tt_route_reset(void);

/* Extent to which a class is selected for a stream. */
typedef enum tt_selection {
    TT_SELECTED_NOTHING,
    TT_SELECTED_SOMETHING,
    TT_SELECTED_EVERYTHING,
} tt_selection_t;

/* Return how much of a class is selected for a stream; both are in range. */
tt_selection_t tt_route_selection(uint32_t stream, uint32_t event_class);

/* Return the entries of the route table for one event type, or for a class if `event` is
 * TT_EVERY_EVENT; 0, which is not a range, if the class or event does not exist. */
tt_route_range_t tt_route_range(uint32_t event_class, uint32_t event);

/* Return true when a stream has the event type at this index of the route table selected. Any
 * context. */
bool tt_route_selected(uint32_t stream, uint32_t index);

/* Compute the routes of a range of event types from selection, running streams and filters, one
 * entry at a time. Call it after a change of any of these. Any context, interrupts unmasked. */
void tt_route_refresh(tt_route_range_t range);

#endif
