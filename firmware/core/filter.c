#include "tickertape/filter.h"

#include <stddef.h>
#include <string.h>

#include "core.h"
#include "ring.h"
#include "tickertape/emitters.h"

/* An entry whose span ends at 0 is free. */
static struct {
    tt_span_t span;
    uint32_t pid;
    uint32_t tid;
} thread_filters[TT_CONFIG_THREAD_FILTERS];

static struct {
    tt_span_t span;
    tt_handler_t handler;
    void *context;
} handlers[TT_CONFIG_HANDLERS];

/* Who runs a handler on this CPU: what it records itself is not shown to handlers again. */
typedef struct tt_handler_run {
    bool active;
    uint32_t tid;
    uint32_t exception;
} tt_handler_run_t;

static tt_handler_run_t running_handler[TT_CONFIG_CPUS];

static bool same_span(tt_span_t a, tt_span_t b)
{
    return a.first == b.first && a.end == b.end;
}

static bool covers(tt_span_t span, uint32_t index)
{
    return span.first <= index && index < span.end;
}

bool tt_filter_covers(uint32_t index)
{
    for (uint32_t i = 0; i < TT_CONFIG_THREAD_FILTERS; i++) {
        if (covers(thread_filters[i].span, index)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < TT_CONFIG_HANDLERS; i++) {
        if (covers(handlers[i].span, index)) {
            return true;
        }
    }
    return false;
}

int tt_set_thread_filter(uint32_t event_class, uint32_t event, uint32_t pid, uint32_t tid)
{
    tt_span_t span;
    if (!tt_route_span(event_class, event, &span)) {
        return TT_ERROR_ARGUMENT;
    }
    uint32_t slot = TT_CONFIG_THREAD_FILTERS;
    for (uint32_t i = TT_CONFIG_THREAD_FILTERS; i-- > 0u;) {
        bool mine = same_span(thread_filters[i].span, span);
        if (mine || (thread_filters[i].span.end == 0u && slot == TT_CONFIG_THREAD_FILTERS)) {
            slot = i;
        }
        if (mine) {
            break;
        }
    }
    if (slot == TT_CONFIG_THREAD_FILTERS) {
        return TT_ERROR_STATE;
    }
    tt_port_key_t key = tt_port_lock();
    thread_filters[slot].span = (pid | tid) != 0u ? span : (tt_span_t){0, 0};
    thread_filters[slot].pid = pid;
    thread_filters[slot].tid = tid;
    tt_port_unlock(key);
    tt_route_refresh(span.first, span.end);
    return TT_OK;
}

int tt_remove_handler(uint32_t event_class, uint32_t event)
{
    tt_span_t span;
    if (!tt_route_span(event_class, event, &span)) {
        return TT_ERROR_ARGUMENT;
    }
    for (uint32_t i = 0; i < TT_CONFIG_HANDLERS; i++) {
        if (same_span(handlers[i].span, span)) {
            handlers[i].span = (tt_span_t){0, 0};
            tt_route_refresh(span.first, span.end);
            return TT_OK;
        }
    }
    return TT_ERROR_STATE;
}

int tt_add_handler(uint32_t event_class, uint32_t event, tt_handler_t handler, void *context)
{
    tt_span_t span;
    if (handler == NULL || !tt_route_span(event_class, event, &span)) {
        return TT_ERROR_ARGUMENT;
    }
    (void)tt_remove_handler(event_class, event);
    for (uint32_t i = 0; i < TT_CONFIG_HANDLERS; i++) {
        if (handlers[i].span.end == 0u) {
            tt_port_key_t key = tt_port_lock();
            handlers[i].handler = handler;
            handlers[i].context = context;
            handlers[i].span = span;
            tt_port_unlock(key);
            tt_route_refresh(span.first, span.end);
            return TT_OK;
        }
    }
    return TT_ERROR_STATE;
}

void tt_clear_filters(void)
{
    memset(thread_filters, 0, sizeof thread_filters);
    memset(handlers, 0, sizeof handlers);
    tt_route_refresh(0, TT_ROUTE_COUNT);
}

static bool threads_pass(uint32_t index, uint32_t pid, uint32_t tid)
{
    for (uint32_t i = 0; i < TT_CONFIG_THREAD_FILTERS; i++) {
        if (covers(thread_filters[i].span, index) &&
            ((thread_filters[i].pid != 0u && thread_filters[i].pid != pid) ||
             (thread_filters[i].tid != 0u && thread_filters[i].tid != tid))) {
            return false;
        }
    }
    return true;
}

/* Handlers of the class (`of_class`) or of the event type alone. */
static bool handlers_pass(uint32_t index, bool of_class, tt_event_view_t *view)
{
    for (uint32_t i = 0; i < TT_CONFIG_HANDLERS; i++) {
        tt_span_t span = handlers[i].span;
        if (covers(span, index) && (span.end - span.first > 1) == of_class) {
            view->context = handlers[i].context;
            if (!handlers[i].handler(view)) {
                return false;
            }
        }
    }
    return true;
}

bool tt_filter_pass(uint32_t header, const uint32_t *data, uint32_t word_count)
{
    uint32_t index = tt_route_index(tt_record_class(header), header & TT_RECORD_EVENT_MASK);
    tt_event_view_t view = {.header = header, .data = data, .word_count = word_count};
    tt_current_thread(&view.pid, &view.tid);
    if (!threads_pass(index, view.pid, view.tid)) {
        return false;
    }
    tt_handler_run_t *run = &running_handler[tt_port_cpu()];
    const tt_handler_run_t interrupted = *run;
    const tt_handler_run_t mine = {true, view.tid, tt_port_exception()};
    if (interrupted.active && interrupted.tid == mine.tid &&
        interrupted.exception == mine.exception) {
        return true;
    }
    *run = mine;
    bool pass = handlers_pass(index, true, &view) && handlers_pass(index, false, &view);
    *run = interrupted;
    return pass;
}
