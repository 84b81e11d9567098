/* Settings other than the selection: thread filters, handlers, shedding, policy, number of
 * buffers. */
#include <stddef.h>

#include "control_lock.h"
#include "filter.h"
#include "ring.h"
#include "route.h"
#include "selection.h"

#define LAST_POLICY (TT_CONFIG_FINALIZE ? TT_POLICY_FINALIZE_FREE : TT_POLICY_DROP)

/* Return whether two filters of a shared entry cover the same event. */
static bool has_same_event(const tt_filter_t *at, const tt_filter_t *filter)
{
#if TT_CONFIG_EVENT_MASKS
    return __atomic_load_n(&at->event, __ATOMIC_RELAXED) == filter->event;
#else
    (void)at;
    (void)filter;
    return true;
#endif
}

/* Return the slot of the filter with the same stage, range and event; else, with `keep`, a free
 * slot; else NULL. */
static tt_filter_t *find_slot(const tt_filter_t *filter, tt_route_range_t range, bool keep)
{
    tt_filter_t *slot = NULL;
    for (uint32_t i = 0; i < TT_CONFIG_FILTERS; i++) {
        tt_filter_t *at = &tt_filters[i];
        tt_route_range_t taken = __atomic_load_n(&at->range, __ATOMIC_RELAXED);
        if (__atomic_load_n(&at->stage, __ATOMIC_RELAXED) == filter->stage && taken == range &&
            has_same_event(at, filter)) {
            return at;
        }
        if (keep && slot == NULL && taken == 0u) {
            slot = at;
        }
    }
    return slot;
}

/* Overwrite a slot, under the control lock. Emitters and find_slot() read range and stage without
 * the lock. */
static void overwrite(tt_filter_t *slot, const tt_filter_t *filter)
{
    slot->by = filter->by;
    __atomic_store_n(&slot->stage, filter->stage, __ATOMIC_RELAXED);
#if TT_CONFIG_EVENT_MASKS
    __atomic_store_n(&slot->event, filter->event, __ATOMIC_RELAXED);
#endif
    __atomic_store_n(&slot->range, filter->range, __ATOMIC_RELAXED);
}

/* Store a filter in its slot; with `keep` false, remove it. Returns TT_OK, TT_ERROR_ARGUMENT for a
 * class or event out of range, or TT_ERROR_STATE when there is no slot. Searches with interrupts
 * enabled, and again if a filter has changed meanwhile. */
static int replace(tt_filter_t *filter, uint32_t event_class, uint32_t event, bool keep)
{
    tt_filter_t *slot;
    bool is_current;
    const tt_route_range_t range = tt_route_range(event_class, event);
    if (range == 0u) {
        return TT_ERROR_ARGUMENT;
    }
    filter->range = keep ? range : 0u;
#if TT_CONFIG_EVENT_MASKS
    const bool is_single = event <= TT_RECORD_EVENT_MASK &&
                           tt_route_is_other(event_class, tt_route_range_first(range));
    filter->event = is_single ? (uint16_t)event : TT_FILTER_EVERY;
#endif
    do {
        uint32_t before = tt_load(&tt_filter_version);
        slot = find_slot(filter, range, keep);
        if (slot == NULL) {
            return TT_ERROR_STATE;
        }
        tt_port_key_t key = tt_control_lock();
        is_current = before == tt_peek(&tt_filter_version);
        if (is_current) {
            overwrite(slot, filter);
            tt_count(&tt_filter_version, 1);
        }
        tt_control_unlock(key);
    } while (!is_current);
    tt_route_refresh(range);
    return TT_OK;
}

int tt_set_thread_filter(uint32_t event_class, uint32_t event, uint32_t pid, uint32_t tid)
{
    tt_filter_t filter = {.stage = TT_FILTER_THREAD, .by.thread = {.pid = pid, .tid = tid}};
    bool keep = (pid | tid) != 0u;
    int result = replace(&filter, event_class, event, keep);
    /* Removing a filter that does not exist succeeds. */
    return keep || result != TT_ERROR_STATE ? result : TT_OK;
}

static __attribute__((noinline)) int replace_handler(uint32_t event_class, uint32_t event,
                                                     tt_handler_t handler, void *context)
{
    tt_filter_t filter = {.stage = event == TT_EVERY_EVENT ? TT_FILTER_CLASS_HANDLER
                                                           : TT_FILTER_EVENT_HANDLER,
                          .by.call = {.handler = handler, .context = context}};
    return replace(&filter, event_class, event, handler != NULL);
}

int tt_add_handler(uint32_t event_class, uint32_t event, tt_handler_t handler, void *context)
{
    return handler == NULL ? TT_ERROR_ARGUMENT
                           : replace_handler(event_class, event, handler, context);
}

int tt_remove_handler(uint32_t event_class, uint32_t event)
{
    return replace_handler(event_class, event, NULL, NULL);
}

void tt_clear_filters(void)
{
    for (uint32_t i = 0; i < TT_CONFIG_FILTERS; i++) {
        __atomic_store_n(&tt_filters[i].range, 0, __ATOMIC_RELAXED);
    }
    tt_port_key_t key = tt_control_lock();
    tt_count(&tt_filter_version, 1);
    tt_control_unlock(key);
    tt_route_refresh(TT_EVERY_ROUTE);
}

int tt_set_shedding(uint32_t stream, uint32_t class_mask, uint32_t free_buffers)
{
    if (stream >= TT_CONFIG_STREAMS || free_buffers >= TT_CONFIG_BUFFERS) {
        return TT_ERROR_ARGUMENT;
    }
    class_mask &= ~(1u << TT_CLASS_CONTROL); /* the host needs TIME to see wraps of the counter */
    tt_port_key_t key = tt_control_lock();
    for (uint32_t cpu = 0; cpu < TT_RING_CPUS; cpu++) {
        tt_ring_t *ring = &tt_rings[stream][cpu];
        tt_poke(&ring->shed_classes, class_mask);
        tt_poke(&ring->shed_below_free, class_mask == 0u ? 0u : free_buffers);
    }
    tt_control_unlock(key);
    return TT_OK;
}

/* Return TT_OK when the rings of a stream are at rest, else TT_ERROR_STATE, also before tt_init(),
 * when a ring has no buffers. They stay at rest while the caller holds the control lock. */
static int check_rest(uint32_t stream)
{
    for (uint32_t cpu = 0; cpu < TT_RING_CPUS; cpu++) {
        const tt_ring_t *ring = &tt_rings[stream][cpu];
        if (ring->buffer_count == 0u || !tt_ring_at_rest(ring)) {
            return TT_ERROR_STATE;
        }
    }
    return TT_OK;
}

int tt_set_policy(uint32_t stream, uint32_t policy)
{
    if (stream >= TT_CONFIG_STREAMS || policy > LAST_POLICY) {
        return TT_ERROR_ARGUMENT;
    }
    tt_port_key_t key = tt_control_lock();
    int result = check_rest(stream);
    for (uint32_t cpu = 0; result == TT_OK && cpu < TT_RING_CPUS; cpu++) {
        tt_rings[stream][cpu].policy = (tt_policy_t)policy;
    }
    tt_control_unlock(key);
    return result;
}

int tt_set_buffers(uint32_t stream, uint32_t buffer_count)
{
    if (stream >= TT_CONFIG_STREAMS || buffer_count < 2u || buffer_count > TT_CONFIG_BUFFERS) {
        return TT_ERROR_ARGUMENT;
    }
    tt_port_key_t key = tt_control_lock();
    int result = check_rest(stream);
    for (uint32_t cpu = 0; result == TT_OK && cpu < TT_RING_CPUS; cpu++) {
        tt_rings[stream][cpu].buffer_count = buffer_count;
        tt_rings[stream][cpu].filling = &tt_rings[stream][cpu].buffers[buffer_count - 1u];
    }
    tt_control_unlock(key);
    return result;
}
