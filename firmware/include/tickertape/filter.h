/*
 * tickertape/filter.h - dynamic filters: by thread, and by functions of the user.
 *
 * Filters apply after the static selection (tt_select_*). An event type with a filter is marked
 * slow in its route; all other types skip the checks at no cost. For a marked event the checks run
 * in this order, and the first one that refuses discards the event:
 *
 *   1. pid and tid filters that cover the event type
 *   2. handlers of its class
 *   3. handlers of the event type itself
 *
 * The filters are global: they decide for all streams at once. For a combine event they decide
 * once, at its begin. Events that were filtered out are not offered, so they are not losses.
 *
 * A change takes effect for the next event. Functions that set filters may be called in any context
 * with interrupts enabled, also by several callers at a time, such as an application and a host.
 * Masked: 88, with TT_CONFIG_EVENT_MASKS 125 (tickertape.h has the unit).
 */
#ifndef TICKERTAPE_FILTER_H
#define TICKERTAPE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/api.h"
#include "tickertape/config.h"

TT_API_BEGIN

/* Event number that means every event of the class. */
#define TT_EVERY_EVENT 0xffffffffu

/* With TT_CONFIG_EVENT_MASKS: event number that means all events of the class without an entry of
 * their own in the route table. */
#define TT_OTHER_EVENTS 0xfffffffeu

/* The event that is about to be recorded, as passed to a handler. */
typedef struct tt_event_view {
    uint32_t header;      /* class and event; struct bits as for a simple event */
    const uint32_t *data; /* its words; NULL when the payload comes piece by piece */
    uint32_t word_count;  /* 2 for a simple event */
    uint32_t pid;         /* domain of the emitting thread */
    uint32_t tid;         /* the emitting thread; in an interrupt, the thread it interrupted */
    void *context;        /* as given to tt_add_handler() */
} tt_event_view_t;

/*
 * A handler decides about one event: it returns true to record it, false to discard it. Runs in the
 * context of the event: any thread or interrupt, possibly with interrupts masked. It must be short
 * and must not block. Events that a handler records itself are not passed to handlers, even if
 * threads switch inside it. At most TT_CONFIG_HANDLER_RUNS threads and interrupts run handlers at a
 * time; events of any further one are recorded without calling handlers. A thread that is deleted
 * inside a handler occupies its slot forever.
 */
typedef bool (*tt_handler_t)(const tt_event_view_t *view);

/*
 * Record only events of domain `pid`, or of thread `tid`; 0 means any. `event` may be
 * TT_EVERY_EVENT. A new filter replaces the one set for the same class and event; pid 0 with tid 0
 * removes it. Returns TT_OK, TT_ERROR_ARGUMENT for a class or event out of range, or TT_ERROR_STATE
 * when all TT_CONFIG_FILTERS are in use.
 */
TT_API int tt_set_thread_filter(uint32_t event_class, uint32_t event, uint32_t pid, uint32_t tid)
    TT_WITHOUT(TT_OK);

/*
 * Attach a handler to a class (TT_EVERY_EVENT) or to an event type, or detach it. Each class and
 * each event type has at most one: a new one replaces it. `context` is passed to the handler.
 * Returns TT_OK, TT_ERROR_ARGUMENT for a class or event out of range or a NULL handler, or
 * TT_ERROR_STATE when all TT_CONFIG_FILTERS are in use, or no handler is attached.
 */
TT_API int tt_add_handler(uint32_t event_class, uint32_t event, tt_handler_t handler, void *context)
    TT_WITHOUT(TT_OK);
TT_API int tt_remove_handler(uint32_t event_class, uint32_t event) TT_WITHOUT(TT_OK);

/* Remove all thread filters and handlers. */
TT_API void tt_clear_filters(void) TT_WITHOUT();

TT_API_END

#endif
