/* core/route.h - the selection of each stream, and the routes that follow from it. */
#ifndef TICKERTAPE_CORE_ROUTE_H
#define TICKERTAPE_CORE_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "filter.h"
#include "tickertape/events.h"

/* Select nothing for any stream. The routes follow with the next refresh. */
void tt_route_reset(void);

/* How much of a class is selected for a stream. */
typedef enum tt_selection {
    TT_SELECTED_NOTHING,
    TT_SELECTED_SOMETHING,
    TT_SELECTED_EVERYTHING,
} tt_selection_t;

tt_selection_t tt_route_selection(uint32_t stream, uint32_t event_class);

/* The entries of one event type, or of its class when `event` is TT_EVERY_EVENT. Returns 0, which
 * is not a range, when there is no such class or event. */
tt_route_range_t tt_route_range(uint32_t event_class, uint32_t event);

/* True when a stream has the event type at this index of the route table selected. */
bool tt_route_selected(uint32_t stream, uint32_t index);

/* Make the routes of a range of event types follow selection, running streams and filters, one by
 * one; after a change of any of them. Any context, interrupts unmasked. */
void tt_route_refresh(tt_route_range_t range);

#endif
