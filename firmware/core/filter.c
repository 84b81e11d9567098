#include "tickertape/filter.h"

#include <stddef.h>

#include "control.h"
#include "core.h"
#include "ring.h"
#include "tickertape/events.h"

/* In the order in which they are asked. */
typedef enum stage {
    STAGE_THREAD,
    STAGE_CLASS_HANDLER,
    STAGE_EVENT_HANDLER,
} stage_t;

/* A filter on the event types of a span; one whose span ends at 0 is free. */
typedef struct filter {
    tt_span_t span;
    stage_t stage;
    uint32_t pid;
    uint32_t tid;
    tt_handler_t handler;
    void *context;
} filter_t;

static filter_t filters[TT_CONFIG_FILTERS];

_Atomic uint32_t tt_filter_version;

/* Who runs handlers: a thread, or an interrupt of a CPU. What it records itself is not shown to
 * handlers again. Threads may switch inside a handler, so there is a place for each. */
typedef struct handler_run {
    _Atomic uint32_t tid;
    /* 0: nobody; else RUNNING, and what tells apart who has the same tid. */
    _Atomic uint32_t place;
} handler_run_t;

#define RUNNING       (1u << 31)
#define CPU_FIRST_BIT 16u

static handler_run_t handler_runs[TT_CONFIG_HANDLER_RUNS];

/* Two single accesses, because it is looked at without the lock. */
static bool covers(const filter_t *filter, uint32_t index)
{
    return __atomic_load_n(&filter->span.first, __ATOMIC_RELAXED) <= index &&
           index < __atomic_load_n(&filter->span.end, __ATOMIC_RELAXED);
}

bool tt_filter_covers(uint32_t index)
{
    for (uint32_t i = 0; i < TT_CONFIG_FILTERS; i++) {
        if (covers(&filters[i], index)) {
            return true;
        }
    }
    return false;
}

/* Put a filter in the place of the one for the same stage and span, or in a free place; `keep`
 * false only takes the old one away. Returns TT_ERROR_STATE when there is no such place. */
static int replace(filter_t *filter, uint32_t event_class, uint32_t event, bool keep)
{
    filter_t *place = NULL;
    if (!tt_route_span(event_class, event, &filter->span)) {
        return TT_ERROR_ARGUMENT;
    }
    const tt_span_t span = filter->span;
    for (uint32_t i = 0; i < TT_CONFIG_FILTERS; i++) {
        filter_t *at = &filters[i];
        bool same =
            at->stage == filter->stage && at->span.first == span.first && at->span.end == span.end;
        if (same || (keep && place == NULL && at->span.end == 0u)) {
            place = at;
        }
        if (same) {
            break;
        }
    }
    if (place == NULL) {
        return TT_ERROR_STATE;
    }
    if (!keep) {
        filter->span.end = 0;
    }
    tt_port_key_t key = tt_control_lock();
    *place = *filter;
    tt_count(&tt_filter_version, 1);
    tt_control_unlock(key);
    tt_route_refresh(&span);
    return TT_OK;
}

int tt_set_thread_filter(uint32_t event_class, uint32_t event, uint32_t pid, uint32_t tid)
{
    filter_t filter = {.stage = STAGE_THREAD, .pid = pid, .tid = tid};
    bool keep = (pid | tid) != 0u;
    int result = replace(&filter, event_class, event, keep);
    /* Nothing to remove is as good as removed. */
    return keep || result != TT_ERROR_STATE ? result : TT_OK;
}

static __attribute__((noinline)) int replace_handler(uint32_t event_class, uint32_t event,
                                                     tt_handler_t handler, void *context)
{
    filter_t filter = {.stage = event == TT_EVERY_EVENT ? STAGE_CLASS_HANDLER : STAGE_EVENT_HANDLER,
                       .handler = handler,
                       .context = context};
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
        __atomic_store_n(&filters[i].span.end, 0, __ATOMIC_RELAXED);
    }
    tt_store(&tt_filter_version, tt_peek(&tt_filter_version) + 1u);
    tt_route_refresh(&tt_every_route);
}

/* Ask the filters of one stage that cover the event type. One that is replaced meanwhile is asked
 * as it was or as it will be, never half of each. */
static bool passes(stage_t stage, uint32_t index, tt_event_view_t *view)
{
    for (uint32_t i = 0; i < TT_CONFIG_FILTERS; i++) {
        if (!covers(&filters[i], index)) {
            continue;
        }
        tt_port_key_t key = tt_control_lock();
        const filter_t filter = filters[i];
        tt_control_unlock(key);
        if (filter.stage != stage || !covers(&filter, index)) {
            continue;
        }
        if (stage == STAGE_THREAD) {
            if ((filter.pid != 0u && filter.pid != view->pid) ||
                (filter.tid != 0u && filter.tid != view->tid)) {
                return false;
            }
        } else {
            view->context = filter.context;
            if (!filter.handler(view)) {
                return false;
            }
        }
    }
    return true;
}

/* The run of this thread or interrupt, else a free one; NULL when there is none. An interrupt may
 * come and go meanwhile. */
static handler_run_t *find_run(uint32_t tid, uint32_t place)
{
    handler_run_t *free_run = NULL;
    for (uint32_t i = 0; i < TT_CONFIG_HANDLER_RUNS; i++) {
        handler_run_t *run = &handler_runs[i];
        uint32_t taken = tt_load(&run->place);
        if (taken == place && tt_peek(&run->tid) == tid) {
            return run;
        }
        if (taken == 0u) {
            free_run = run;
        }
    }
    return free_run;
}

/* Begin to run handlers. Returns NULL where that is going on already, and where no place is free:
 * then none is asked. */
static handler_run_t *begin_run(uint32_t tid)
{
    uint32_t place = tt_port_exception();
    if (TT_CONFIG_CPUS > 1 && (place != 0u || tid == 0u)) {
        tt_port_key_t key = tt_port_lock();
        place |= tt_port_cpu() << CPU_FIRST_BIT; /* a thread may go on on another one */
        tt_port_unlock(key);
    }
    place |= RUNNING;
    for (;;) {
        handler_run_t *run = find_run(tid, place);
        if (run == NULL || tt_peek(&run->place) == place) {
            return NULL;
        }
        tt_port_key_t key = tt_control_lock();
        bool is_free = tt_peek(&run->place) == 0u;
        if (is_free) {
            tt_poke(&run->tid, tid);
            tt_store(&run->place, place);
        }
        tt_control_unlock(key);
        if (is_free) {
            return run;
        }
    }
}

bool tt_filter_pass(uint32_t header, const uint32_t *data, uint32_t word_count)
{
    uint32_t index = tt_route_index(tt_record_class(header), header & TT_RECORD_EVENT_MASK);
    tt_event_view_t view = {.header = header, .data = data, .word_count = word_count};
    tt_current_thread(&view.pid, &view.tid);
    handler_run_t *run = NULL;
    bool passed = true;
    for (stage_t stage = STAGE_THREAD; passed && stage <= STAGE_EVENT_HANDLER; stage++) {
        if (stage == STAGE_CLASS_HANDLER) {
            run = begin_run(view.tid);
            if (run == NULL) {
                break;
            }
        }
        passed = passes(stage, index, &view);
    }
    if (run != NULL) {
        tt_store(&run->place, 0);
    }
    return passed;
}
