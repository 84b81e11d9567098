/* core/core.h - what the parts of the recorder need of each other beside rings and records. */
#ifndef TICKERTAPE_CORE_CORE_H
#define TICKERTAPE_CORE_CORE_H

#include <stdbool.h>
#include <stdint.h>

/* The target, NULL before tt_init(). */
struct tt_target;
const struct tt_target *tt_target(void);

/* Select nothing for any stream, and have no filter. No stream runs. */
void tt_route_reset(void);

/* How much of a class is selected for a stream. */
typedef enum tt_selection {
    TT_SELECTED_NOTHING,
    TT_SELECTED_SOMETHING,
    TT_SELECTED_EVERYTHING,
} tt_selection_t;

tt_selection_t tt_route_selection(uint32_t stream, uint32_t event_class);

/* The route entries of one event type, or of its class when `event` is TT_EVERY_EVENT. Returns
 * false when there is no such class or event. */
typedef struct tt_span {
    uint16_t first;
    uint16_t end;
} tt_span_t;

extern const tt_span_t tt_every_route;

bool tt_route_span(uint32_t event_class, uint32_t event, tt_span_t *span);

/* True when a stream has the event type at this index of the route table selected. */
bool tt_route_selected(uint32_t stream, uint32_t index);

/* Make the routes of a range of event types follow selection, running streams and filters, one by
 * one; after a change of any of them. Any context, interrupts unmasked. */
void tt_route_refresh(const tt_span_t *span);

/* A stream has stopped in an emitter, because it was full: the drain makes the routes follow. What
 * they lead to the stream until then is refused, and not offered. */
extern _Atomic bool tt_routes_late;

/* True when a thread filter or handler covers the event type at this index of the route table. One
 * that is added meanwhile may be missed: the version is another one then. */
bool tt_filter_covers(uint32_t index);
extern _Atomic uint32_t tt_filter_version;

/* Ask the filters about one event of a type that they cover. Any context, interrupts unmasked. */
bool tt_filter_pass(uint32_t header, const uint32_t *data, uint32_t word_count);

/* Domain and number of the thread that runs, 0 and 0 where nobody says. */
void tt_current_thread(uint32_t *pid, uint32_t *tid);

#endif
