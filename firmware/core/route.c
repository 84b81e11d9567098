/*
 * The selection of each stream. `selected` has the requests; emitters read tt_route: bit i of an
 * entry is set while stream i runs and has the event type selected. A route may be late for a
 * moment; a stream that has stopped then records the event into its open buffer, or ignores it.
 */
#include "route.h"

#include <stddef.h>
#include <string.h>

#include "control_lock.h"
#include "ring.h"

#define WORD_BITS 32u
#define WORDS     ((TT_ROUTE_COUNT + WORD_BITS - 1u) / WORD_BITS)

/* The requests, a bit for each entry of the route table. */
static struct {
    uint32_t selected[TT_CONFIG_STREAMS][WORDS];
    uint32_t wide[WORDS];
} requested;

tt_route_range_t tt_route_range(uint32_t event_class, uint32_t event)
{
    if (event_class >= TT_CLASS_COUNT) {
        return 0;
    }
    if (event == TT_EVERY_EVENT) {
        return TT_ROUTE_RANGE(tt_class_first_route(event_class),
                              tt_class_first_route(event_class + 1u));
    }
    if (event > TT_RECORD_EVENT_MASK) {
        return 0;
    }
    uint32_t index = tt_route_index(event_class, event);
    return TT_ROUTE_RANGE(index, index + 1u);
}

static uint32_t bit_of(const uint32_t *words, uint32_t index)
{
    return (words[index / WORD_BITS] >> (index % WORD_BITS)) & 1u;
}

/* The events of users whose refusal is of interest: TT_ROUTE_REFUSED. */
static bool is_users(uint32_t index)
{
    return TT_ROUTE_REFUSED != 0u &&
           index - TT_ROUTE_USER_USER < TT_ROUTE_USER_OTHER - TT_ROUTE_USER_USER;
}

/*
 * Set or clear the bits of a range, unless `words` is NULL, and update its routes. Interrupts are
 * masked for one entry at a time, and not during the search through the filters.
 *
 * A caller that changes a filter, or starts or stops a stream, does so in one masked step before it
 * comes here; a requested bit changes in the step of its entry. Each step computes its route from
 * the state at that step. So when the last of several overlapping calls has returned, every route
 * follows from the requests.
 */
static void update_routes(tt_route_range_t range, uint32_t *words, bool set)
{
    uint32_t index = tt_route_range_first(range);
    while (index < tt_route_range_end(range)) {
        uint32_t version = tt_load(&tt_filter_version);
        uint32_t marks = tt_filter_covers(index) ? TT_ROUTE_SLOW : 0u;
        marks |= tt_route_has_wide(index) ? TT_ROUTE_WIDE : 0u;
        const uint32_t bit = 1u << (index % WORD_BITS);
        const uint32_t word = index / WORD_BITS;
        tt_port_key_t key = tt_control_lock();
        if (words != NULL) {
            words[word] = set ? words[word] | bit : words[word] & ~bit;
        }
        uint32_t route = 0;
        uint32_t refused = 0;
        for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
            if ((requested.selected[stream][word] & bit) == 0u) {
                continue;
            }
            if (tt_is_set(&tt_streams[stream].running)) {
                route |= 1u << stream;
            } else if (is_users(index) && tt_is_set(&tt_streams[stream].was_full)) {
                refused = TT_ROUTE_REFUSED;
            }
        }
        if ((requested.wide[word] & bit) == 0u) {
            marks &= ~TT_ROUTE_WIDE;
        }
        if (version == tt_peek(&tt_filter_version)) {
            /* A single access, because emitters read it meanwhile. */
            route |= route != 0u ? marks : 0u;
            __atomic_store_n(&tt_route[index], (tt_route_t)(route | refused), __ATOMIC_RELAXED);
            index++;
        }
        tt_control_unlock(key);
    }
}

void tt_route_refresh(tt_route_range_t range)
{
    update_routes(range, NULL, false);
}

void tt_route_reset(void)
{
    memset(&requested, 0, sizeof requested);
    tt_set(&tt_routes_late, false);
}

int tt_select_all(uint32_t stream, bool take)
{
    if (stream >= TT_CONFIG_STREAMS) {
        return TT_ERROR_ARGUMENT;
    }
    update_routes(TT_EVERY_ROUTE, requested.selected[stream], take);
    return TT_OK;
}

/* The same for an event type or a whole class. */
static __attribute__((noinline)) int mark_type(uint32_t *words, uint32_t event_class,
                                               uint32_t event, bool set)
{
    tt_route_range_t range = tt_route_range(event_class, event);
    if (range == 0u) {
        return TT_ERROR_ARGUMENT;
    }
    update_routes(range, words, set);
    return TT_OK;
}

int tt_select_event(uint32_t stream, uint32_t event_class, uint32_t event, bool take)
{
    if (stream >= TT_CONFIG_STREAMS) {
        return TT_ERROR_ARGUMENT;
    }
    return mark_type(requested.selected[stream], event_class, event, take);
}

int tt_select_class(uint32_t stream, uint32_t event_class, bool take)
{
    return tt_select_event(stream, event_class, TT_EVERY_EVENT, take);
}

bool tt_route_selected(uint32_t stream, uint32_t index)
{
    return bit_of(requested.selected[stream], index) != 0u;
}

tt_selection_t tt_route_selection(uint32_t stream, uint32_t event_class)
{
    uint32_t first = tt_class_first_route(event_class);
    uint32_t end = tt_class_first_route(event_class + 1u);
    uint32_t count = 0;
    for (uint32_t i = first; i < end; i++) {
        count += bit_of(requested.selected[stream], i);
    }
    if (count == 0u) {
        return TT_SELECTED_NOTHING;
    }
    return count == end - first ? TT_SELECTED_EVERYTHING : TT_SELECTED_SOMETHING;
}

int tt_set_wide(uint32_t event_class, uint32_t event, bool take)
{
    return mark_type(requested.wide, event_class, event, take);
}
