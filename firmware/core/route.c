/*
 * What each stream takes. `selected` is what was asked for, tt_route is what emitters look at:
 * bit i of an entry is set while stream i runs and has the event type selected.
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

/* What was asked for. */
static struct {
    uint8_t selected[TT_ROUTE_COUNT]; /* bit i: by stream i */
    uint8_t wide[TT_ROUTE_COUNT];     /* 1: in its wide form */
} asked;

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

static void refresh(const tt_span_t *span)
{
    uint32_t running = 0;
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        if (tt_is_set(&tt_streams[stream].running)) {
            running |= 1u << stream;
        }
    }
    for (uint32_t i = span->first; i < span->end; i++) {
        uint32_t route = asked.selected[i] & running;
        if (route != 0u && tt_filter_covers(i)) {
            route |= TT_ROUTE_SLOW;
        }
        if (route != 0u && asked.wide[i] != 0u && tt_route_has_wide(i)) {
            route |= TT_ROUTE_WIDE;
        }
        /* A single access for whoever looks at it meanwhile. */
        __atomic_store_n(&tt_route[i], (uint16_t)route, __ATOMIC_RELAXED);
    }
}

void tt_route_refresh(const tt_span_t *span)
{
    tt_port_key_t key = tt_control_lock();
    refresh(span);
    tt_control_unlock(key);
}

/* Set or clear `bit` in the entries of a span and let the routes follow. */
static void mark(uint8_t *entries, const tt_span_t *span, uint32_t bit, bool set)
{
    tt_port_key_t key = tt_control_lock();
    for (uint32_t i = span->first; i < span->end; i++) {
        entries[i] = (uint8_t)(set ? entries[i] | bit : entries[i] & ~bit);
    }
    refresh(span);
    tt_control_unlock(key);
}

void tt_route_reset(void)
{
    memset(&asked, 0, sizeof asked);
    memset(tt_route, 0, sizeof tt_route);
}

int tt_select_all(uint32_t stream, bool take)
{
    if (stream >= TT_CONFIG_STREAMS) {
        return TT_ERROR_ARGUMENT;
    }
    mark(asked.selected, &tt_every_route, 1u << stream, take);
    return TT_OK;
}

/* The same for an event type or a whole class. */
static __attribute__((noinline)) int mark_type(uint8_t *entries, uint32_t event_class,
                                               uint32_t event, uint32_t bit, bool set)
{
    tt_span_t span;
    if (!tt_route_span(event_class, event, &span)) {
        return TT_ERROR_ARGUMENT;
    }
    mark(entries, &span, bit, set);
    return TT_OK;
}

int tt_select_event(uint32_t stream, uint32_t event_class, uint32_t event, bool take)
{
    if (stream >= TT_CONFIG_STREAMS) {
        return TT_ERROR_ARGUMENT;
    }
    return mark_type(asked.selected, event_class, event, 1u << stream, take);
}

int tt_select_class(uint32_t stream, uint32_t event_class, bool take)
{
    return tt_select_event(stream, event_class, TT_EVERY_EVENT, take);
}

bool tt_route_selected(uint32_t stream, uint32_t index)
{
    return ((asked.selected[index] >> stream) & 1u) != 0u;
}

tt_selection_t tt_route_selection(uint32_t stream, uint32_t event_class)
{
    uint32_t first = tt_class_first_route(event_class);
    uint32_t end = tt_class_first_route(event_class + 1u);
    uint32_t count = 0;
    for (uint32_t i = first; i < end; i++) {
        count += (asked.selected[i] >> stream) & 1u;
    }
    if (count == 0u) {
        return TT_SELECTED_NOTHING;
    }
    return count == end - first ? TT_SELECTED_EVERYTHING : TT_SELECTED_SOMETHING;
}

int tt_set_wide(uint32_t event_class, uint32_t event, bool take)
{
    return mark_type(asked.wide, event_class, event, 1u, take);
}

int tt_set_shedding(uint32_t stream, uint32_t class_mask, uint32_t free_buffers)
{
    if (stream >= TT_CONFIG_STREAMS || free_buffers >= TT_CONFIG_BUFFERS) {
        return TT_ERROR_ARGUMENT;
    }
    tt_port_key_t key = tt_control_lock();
    for (uint32_t cpu = 0; cpu < TT_CONFIG_CPUS; cpu++) {
        tt_ring_t *ring = &tt_rings[stream][cpu];
        tt_poke(&ring->shed_classes, class_mask);
        tt_poke(&ring->shed_below_free, free_buffers);
    }
    tt_control_unlock(key);
    return TT_OK;
}

int tt_set_policy(uint32_t stream, tt_policy_t policy)
{
    if (stream >= TT_CONFIG_STREAMS || policy > LAST_POLICY) {
        return TT_ERROR_ARGUMENT;
    }
    if (tt_is_set(&tt_streams[stream].running)) {
        return TT_ERROR_STATE;
    }
    for (uint32_t cpu = 0; cpu < TT_CONFIG_CPUS; cpu++) {
        tt_rings[stream][cpu].policy = policy;
    }
    return TT_OK;
}

int tt_set_buffers(uint32_t stream, uint32_t buffer_count)
{
    if (stream >= TT_CONFIG_STREAMS || buffer_count < 2u || buffer_count > TT_CONFIG_BUFFERS) {
        return TT_ERROR_ARGUMENT;
    }
    for (uint32_t cpu = 0; cpu < TT_CONFIG_CPUS; cpu++) {
        if (tt_is_set(&tt_streams[stream].running) || !tt_ring_empty(&tt_rings[stream][cpu])) {
            return TT_ERROR_STATE;
        }
    }
    for (uint32_t cpu = 0; cpu < TT_CONFIG_CPUS; cpu++) {
        tt_rings[stream][cpu].buffer_count = buffer_count;
        tt_rings[stream][cpu].filling = buffer_count - 1u;
    }
    return TT_OK;
}

void tt_set_running(uint32_t stream, bool running)
{
    tt_port_key_t key = tt_control_lock();
    if (running) {
        tt_count(&tt_streams[stream].starts, 1);
    }
    tt_set(&tt_streams[stream].running, running);
    refresh(&tt_every_route);
    tt_control_unlock(key);
}

int tt_start_without_state(uint32_t stream)
{
    if (stream >= TT_CONFIG_STREAMS) {
        return TT_ERROR_ARGUMENT;
    }
    if (tt_target() == NULL) {
        return TT_ERROR_STATE;
    }
    tt_set_running(stream, true);
    /* In one record also where it is wide: the filters are those of a facade. */
    TT_EMIT2(TT_CLASS_TRACER, TT_TRACER_START, TT_ROUTE_TRACER_START, stream, 0u);
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
    return TT_OK;
}
