/*
 * The routes, computed from the selection (selection.h). Emitters read tt_route: bit i of an entry
 * is set while stream i runs and has the event type selected. A route follows a change with a short
 * delay: until then, a stream that has stopped records the event in its open buffer or ignores it.
 */
#include "route.h"

#include <stddef.h>
#include <string.h>

#include "control_lock.h"
#include "ring.h"
#include "selection.h"

tt_route_range_t tt_route_range(uint32_t event_class, uint32_t event)
{
    if (event_class >= TT_CLASS_COUNT) {
        return 0;
    }
    if (event == TT_EVERY_EVENT) {
        return TT_ROUTE_RANGE(tt_class_first_route(event_class),
                              tt_class_first_route(event_class + 1u));
    }
    if (TT_CONFIG_EVENT_MASKS && event == TT_OTHER_EVENTS) {
        const uint32_t end = tt_class_first_route(event_class + 1u);
        return TT_ROUTE_RANGE(end - 1u, end);
    }
    if (event > TT_RECORD_EVENT_MASK) {
        return 0;
    }
    uint32_t index = tt_route_index(event_class, event);
    return TT_ROUTE_RANGE(index, index + 1u);
}

/* Return whether an entry is one of the events of users that TT_ROUTE_REFUSED marks. */
static bool is_users(uint32_t index)
{
    return TT_ROUTE_REFUSED != 0u &&
           index - TT_ROUTE_USER_USER < TT_ROUTE_USER_OTHER - TT_ROUTE_USER_USER;
}

/*
 * Set or clear the bits of a range in `words`, if not NULL, and update the routes of the range.
 * Interrupts are masked for one entry at a time, and never during the search through the filters.
 *
 * A caller that changes a filter, or starts or stops a stream, does so in one masked step before it
 * calls this function; a requested bit changes in the masked step of its entry. Each step computes
 * its route from the state at that time. So when the last of several overlapping calls has
 * returned, every route corresponds to the requests.
 */
/* NOLINTNEXTLINE(readability-non-const-parameter): __atomic_store_n() writes it. */
static void update_routes(tt_route_range_t range, uint32_t *words, bool set)
{
    uint32_t index = tt_route_range_first(range);
    while (index < tt_route_range_end(range)) {
        uint32_t version = tt_load(&tt_filter_version);
        const uint32_t masks = tt_event_masks_of_route(index);
        uint32_t marks = masks != 0u || tt_filter_covers(index) ? TT_ROUTE_SLOW : 0u;
        marks |= tt_route_has_wide(index) ? TT_ROUTE_WIDE : 0u;
        const uint32_t bit = 1u << (index % TT_SELECTION_WORD_BITS);
        const uint32_t word = index / TT_SELECTION_WORD_BITS;
        tt_port_key_t key = tt_control_lock();
        if (words != NULL) {
            uint32_t changed = set ? words[word] | bit : words[word] & ~bit;
            __atomic_store_n(&words[word], changed, __ATOMIC_RELAXED);
        }
        uint32_t route = 0;
        uint32_t refused = 0;
        for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
            if ((tt_requested.selected[stream][word] & bit) == 0u &&
                ((masks >> stream) & 1u) == 0u) {
                continue;
            }
            if (tt_is_set(&tt_streams[stream].running)) {
                route |= 1u << stream;
            } else if (is_users(index) && tt_is_set(&tt_streams[stream].was_full)) {
                refused = TT_ROUTE_REFUSED;
            }
        }
        if ((tt_requested.wide[word] & bit) == 0u) {
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
    memset(&tt_requested, 0, sizeof tt_requested);
    tt_set(&tt_routes_late, false);
}

#if TT_CONFIG_EVENT_MASKS

/* Set or clear a stream in the event mask at `place`. A mask that equals the selection of the rest
 * of its entry is freed. Under the control lock. */
static void set_mask(uint32_t place, uint32_t type, uint32_t index, uint32_t stream, bool take)
{
    const uint32_t others = tt_selection_of_route(index);
    const uint32_t mask = tt_peek(&tt_requested.masks[place]);
    const uint32_t end = tt_peek(&tt_requested.mask_end);
    uint32_t streams = mask == 0u ? others : tt_event_mask_streams(mask);
    streams = take ? streams | 1u << stream : streams & ~(1u << stream);
    if (streams != others) {
        tt_poke(&tt_requested.masks[place], TT_EVENT_MASK_OF(type, streams));
        tt_poke(&tt_requested.mask_end, place < end ? end : place + 1u);
    } else {
        tt_poke(&tt_requested.masks[place], 0);
        tt_poke(&tt_requested.mask_end, place + 1u == end ? place : end);
    }
    tt_count(&tt_filter_version, 1);
}

/* Select or remove one event of an entry that several events share. Searches with interrupts
 * enabled, and again if a mask has changed meanwhile. Returns TT_ERROR_STATE if the event needs a
 * mask and none is free. */
static int mask_event(uint32_t stream, uint32_t type, uint32_t index, bool take)
{
    bool is_current;
    do {
        uint32_t before = tt_load(&tt_filter_version);
        uint32_t place = tt_event_mask_find(type);
        if (place == TT_CONFIG_EVENT_MASKS) {
            return tt_route_selected(stream, index) == take ? TT_OK : TT_ERROR_STATE;
        }
        tt_port_key_t key = tt_control_lock();
        is_current = before == tt_peek(&tt_filter_version);
        if (is_current) {
            set_mask(place, type, index, stream, take);
        }
        tt_control_unlock(key);
    } while (!is_current);
    tt_route_refresh(TT_ROUTE_RANGE(index, index + 1u));
    return TT_OK;
}

/* Apply a stream's selection of a range of entries to the event masks of the range, one by one. The
 * last mask comes first, so that the list becomes shorter. */
static void change_masks(uint32_t stream, tt_route_range_t range, bool take)
{
    bool has_changed = false;
    for (uint32_t i = TT_CONFIG_EVENT_MASKS; i > 0u; i--) {
        const _Atomic uint32_t *place = &tt_requested.masks[i - 1u];
        const uint32_t type = tt_peek(place) & TT_EVENT_MASK_TYPE;
        const uint32_t index = tt_route_of(type);
        if (index < tt_route_range_first(range) || index >= tt_route_range_end(range)) {
            continue;
        }
        tt_port_key_t key = tt_control_lock();
        const uint32_t mask = tt_peek(place);
        if (mask != 0u && (mask & TT_EVENT_MASK_TYPE) == type) {
            set_mask(i - 1u, type, index, stream, take);
            has_changed = true;
        }
        tt_control_unlock(key);
    }
    if (has_changed) {
        tt_route_refresh(range);
    }
}

#endif

int tt_select_all(uint32_t stream, bool take)
{
    if (stream >= TT_CONFIG_STREAMS) {
        return TT_ERROR_ARGUMENT;
    }
    update_routes(TT_EVERY_ROUTE, tt_requested.selected[stream], take);
#if TT_CONFIG_EVENT_MASKS
    change_masks(stream, TT_EVERY_ROUTE, take);
#endif
    return TT_OK;
}

/* Set or clear the bits of an event type or a class in `words`. */
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
#if TT_CONFIG_EVENT_MASKS
    const tt_route_range_t range = tt_route_range(event_class, event);
    const uint32_t first = tt_route_range_first(range);
    if (range != 0u && event <= TT_RECORD_EVENT_MASK && tt_route_is_other(event_class, first)) {
        return mask_event(stream, TT_RECORD_HEADER(0u, 0u, 0u, event_class, event), first, take);
    }
    int result = mark_type(tt_requested.selected[stream], event_class, event, take);
    change_masks(stream, range, take);
    return result;
#else
    return mark_type(tt_requested.selected[stream], event_class, event, take);
#endif
}

int tt_select_class(uint32_t stream, uint32_t event_class, bool take)
{
    return tt_select_event(stream, event_class, TT_EVERY_EVENT, take);
}

bool tt_route_selected(uint32_t stream, uint32_t index)
{
    return tt_selection_bit(tt_requested.selected[stream], index);
}

bool tt_selected(uint32_t stream, uint32_t event_class, uint32_t event)
{
    tt_route_range_t range = tt_route_range(event_class, event);
    if (stream >= TT_CONFIG_STREAMS || range == 0u) {
        return false;
    }
    const uint32_t index = tt_route_range_first(range);
#if TT_CONFIG_EVENT_MASKS
    if (event <= TT_RECORD_EVENT_MASK && tt_route_is_other(event_class, index)) {
        const uint32_t header = TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0, 0, event_class, event);
        return tt_selection_of_event(header, index, 1u << stream) != 0u;
    }
#endif
    return tt_route_selected(stream, index);
}

tt_selection_t tt_route_selection(uint32_t stream, uint32_t event_class)
{
    uint32_t first = tt_class_first_route(event_class);
    uint32_t end = tt_class_first_route(event_class + 1u);
    uint32_t count = 0;
    for (uint32_t i = first; i < end; i++) {
        count += tt_selection_bit(tt_requested.selected[stream], i);
    }
    if (tt_event_mask_differs(stream, end - 1u)) {
        return TT_SELECTED_SOMETHING;
    }
    if (count == 0u) {
        return TT_SELECTED_NOTHING;
    }
    return count == end - first ? TT_SELECTED_EVERYTHING : TT_SELECTED_SOMETHING;
}

int tt_set_wide(uint32_t event_class, uint32_t event, bool take)
{
    return mark_type(tt_requested.wide, event_class, event, take);
}
