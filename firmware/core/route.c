/*
 * What each stream takes. `selected` is what was asked for, tt_route is what emitters look at:
 * bit i of an entry is set while stream i runs and has the event type selected. A route may lag
 * behind for a moment; what it leads to a stream that has stopped goes into the buffer that is
 * open, or nowhere.
 */
#include <stddef.h>
#include <string.h>

#include "control.h"
#include "core.h"
#include "ring.h"
#include "state.h"
#include "tickertape/emitters.h"
#include "tickertape/filter.h"

#define LAST_POLICY (TT_CONFIG_FINALIZE ? TT_POLICY_FINALIZE_FREE : TT_POLICY_DROP)

uint16_t tt_route[TT_ROUTE_COUNT];
const tt_span_t tt_every_route = {0, TT_ROUTE_COUNT};

#define WORD_BITS 32u
#define WORDS     ((TT_ROUTE_COUNT + WORD_BITS - 1u) / WORD_BITS)

/* What was asked for, a bit for each entry of the route table. */
static struct {
    uint32_t selected[TT_CONFIG_STREAMS][WORDS];
    uint32_t wide[WORDS];
} asked;

_Atomic bool tt_routes_late;

#if TT_CONFIG_CPUS > 1
atomic_flag tt_control_taken = ATOMIC_FLAG_INIT;
#endif

bool tt_route_span(uint32_t event_class, uint32_t event, tt_span_t *span)
{
    if (event_class >= TT_CLASS_COUNT ||
        (event > TT_RECORD_EVENT_MASK && event != TT_EVERY_EVENT)) {
        return false;
    }
    if (event == TT_EVERY_EVENT) {
        span->first = (uint16_t)tt_class_first_route(event_class);
        span->end = (uint16_t)tt_class_first_route(event_class + 1u);
    } else {
        span->first = (uint16_t)tt_route_index(event_class, event);
        span->end = (uint16_t)(span->first + 1u);
    }
    return true;
}

static uint32_t bit_of(const uint32_t *words, uint32_t index)
{
    return (words[index / WORD_BITS] >> (index % WORD_BITS)) & 1u;
}

/*
 * Set or clear the bits of a span, unless `words` is NULL, and make its routes follow. Interrupts
 * are masked for one entry at a time, and not while the filters are looked through.
 *
 * Who changes a filter, or whether a stream runs, does it in one masked step and then comes here; a
 * bit that was asked for changes in the step of its entry. Each route is made of what holds at its
 * own step. So when the last of several that overlap has come back, every route follows from what
 * was asked for, whatever came in between.
 */
static void update_routes(const tt_span_t *span, uint32_t *words, bool set)
{
    uint32_t index = span->first;
    while (index < span->end) {
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
        for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
            if (tt_is_set(&tt_streams[stream].running) &&
                (asked.selected[stream][word] & bit) != 0u) {
                route |= 1u << stream;
            }
        }
        if ((asked.wide[word] & bit) == 0u) {
            marks &= ~TT_ROUTE_WIDE;
        }
        if (version == tt_peek(&tt_filter_version)) {
            /* A single access for whoever looks at it meanwhile. */
            __atomic_store_n(&tt_route[index], (uint16_t)(route != 0u ? route | marks : 0u),
                             __ATOMIC_RELAXED);
            index++;
        }
        tt_control_unlock(key);
    }
}

void tt_route_refresh(const tt_span_t *span)
{
    update_routes(span, NULL, false);
}

void tt_route_reset(void)
{
    memset(&asked, 0, sizeof asked);
    tt_set(&tt_routes_late, false);
    tt_clear_filters();
}

int tt_select_all(uint32_t stream, bool take)
{
    if (stream >= TT_CONFIG_STREAMS) {
        return TT_ERROR_ARGUMENT;
    }
    update_routes(&tt_every_route, asked.selected[stream], take);
    return TT_OK;
}

/* The same for an event type or a whole class. */
static __attribute__((noinline)) int mark_type(uint32_t *words, uint32_t event_class,
                                               uint32_t event, bool set)
{
    tt_span_t span;
    if (!tt_route_span(event_class, event, &span)) {
        return TT_ERROR_ARGUMENT;
    }
    update_routes(&span, words, set);
    return TT_OK;
}

int tt_select_event(uint32_t stream, uint32_t event_class, uint32_t event, bool take)
{
    if (stream >= TT_CONFIG_STREAMS) {
        return TT_ERROR_ARGUMENT;
    }
    return mark_type(asked.selected[stream], event_class, event, take);
}

int tt_select_class(uint32_t stream, uint32_t event_class, bool take)
{
    return tt_select_event(stream, event_class, TT_EVERY_EVENT, take);
}

bool tt_route_selected(uint32_t stream, uint32_t index)
{
    return bit_of(asked.selected[stream], index) != 0u;
}

tt_selection_t tt_route_selection(uint32_t stream, uint32_t event_class)
{
    uint32_t first = tt_class_first_route(event_class);
    uint32_t end = tt_class_first_route(event_class + 1u);
    uint32_t count = 0;
    for (uint32_t i = first; i < end; i++) {
        count += bit_of(asked.selected[stream], i);
    }
    if (count == 0u) {
        return TT_SELECTED_NOTHING;
    }
    return count == end - first ? TT_SELECTED_EVERYTHING : TT_SELECTED_SOMETHING;
}

int tt_set_wide(uint32_t event_class, uint32_t event, bool take)
{
    return mark_type(asked.wide, event_class, event, take);
}

int tt_set_shedding(uint32_t stream, uint32_t class_mask, uint32_t free_buffers)
{
    if (stream >= TT_CONFIG_STREAMS || free_buffers >= TT_CONFIG_BUFFERS) {
        return TT_ERROR_ARGUMENT;
    }
    class_mask &= ~(1u << TT_CLASS_CONTROL); /* TIME shows the wraps of the counter */
    tt_port_key_t key = tt_control_lock();
    for (uint32_t cpu = 0; cpu < TT_CONFIG_CPUS; cpu++) {
        tt_ring_t *ring = &tt_rings[stream][cpu];
        tt_poke(&ring->shed_classes, class_mask);
        tt_poke(&ring->shed_below_free, class_mask == 0u ? 0u : free_buffers);
    }
    tt_control_unlock(key);
    return TT_OK;
}

/* Nothing is in the rings of a stream, and nothing comes in while the control lock is held. */
static bool is_at_rest(uint32_t stream)
{
    bool rests = true;
    for (uint32_t cpu = 0; cpu < TT_CONFIG_CPUS; cpu++) {
        rests = rests && tt_ring_at_rest(&tt_rings[stream][cpu]);
    }
    return rests;
}

int tt_set_policy(uint32_t stream, uint32_t policy)
{
    if (stream >= TT_CONFIG_STREAMS || policy > LAST_POLICY) {
        return TT_ERROR_ARGUMENT;
    }
    tt_port_key_t key = tt_control_lock();
    bool rests = is_at_rest(stream);
    for (uint32_t cpu = 0; rests && cpu < TT_CONFIG_CPUS; cpu++) {
        tt_rings[stream][cpu].policy = (tt_policy_t)policy;
    }
    tt_control_unlock(key);
    return rests ? TT_OK : TT_ERROR_STATE;
}

int tt_set_buffers(uint32_t stream, uint32_t buffer_count)
{
    if (stream >= TT_CONFIG_STREAMS || buffer_count < 2u || buffer_count > TT_CONFIG_BUFFERS) {
        return TT_ERROR_ARGUMENT;
    }
    tt_port_key_t key = tt_control_lock();
    bool rests = is_at_rest(stream);
    for (uint32_t cpu = 0; rests && cpu < TT_CONFIG_CPUS; cpu++) {
        tt_rings[stream][cpu].buffer_count = buffer_count;
        tt_rings[stream][cpu].filling = buffer_count - 1u;
    }
    tt_control_unlock(key);
    return rests ? TT_OK : TT_ERROR_STATE;
}

int tt_start_without_state(uint32_t stream)
{
    static const tt_span_t start = {TT_ROUTE_TRACER_START, TT_ROUTE_TRACER_START + 1u};
    if (stream >= TT_CONFIG_STREAMS) {
        return TT_ERROR_ARGUMENT;
    }
    if (tt_target() == NULL) {
        return TT_ERROR_STATE;
    }
    tt_set_running(stream, true);
    tt_route_refresh(&start); /* nothing else comes before it */
    /* In one record also where it is wide: the filters are those of a facade. */
    TT_EMIT2(TT_CLASS_TRACER, TT_TRACER_START, TT_ROUTE_TRACER_START, stream, 0u);
    tt_route_refresh(&tt_every_route);
    return TT_OK;
}

int tt_start(uint32_t stream)
{
    int result = tt_start_without_state(stream);
    if (result == TT_OK) {
        tt_state_dump(stream);
    }
    return result;
}

int tt_stop(uint32_t stream)
{
    if (stream >= TT_CONFIG_STREAMS) {
        return TT_ERROR_ARGUMENT;
    }
    tt_emit_tracer_stop(stream, 0);
    tt_set_running(stream, false);
    tt_route_refresh(&tt_every_route);
    return TT_OK;
}
