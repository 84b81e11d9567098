#include "filter.h"

#include <stddef.h>

#include "control_lock.h"
#include "shared.h"
#include "target.h"

tt_filter_t tt_filters[TT_CONFIG_FILTERS];

_Atomic uint32_t tt_filter_version;

/* A thread or interrupt that is inside a handler. Events that it records there skip the handlers.
 * Threads may switch inside a handler, so several runs may be active. */
typedef struct handler_run {
    _Atomic uint32_t tid;
    /* 0: the slot is free; else RUNNING, and the bits that distinguish runs with the same tid. */
    _Atomic uint32_t context;
} handler_run_t;

#define RUNNING       (1u << 31)
#define CPU_FIRST_BIT 16u

static handler_run_t handler_runs[TT_CONFIG_HANDLER_RUNS];

/* Return whether a filter covers an entry. The range is read in a single access, because no lock is
 * held. */
static bool covers(const tt_filter_t *filter, uint32_t index)
{
    tt_route_range_t range = __atomic_load_n(&filter->range, __ATOMIC_RELAXED);
    return tt_route_range_first(range) <= index && index < tt_route_range_end(range);
}

bool tt_filter_covers(uint32_t index)
{
    for (uint32_t i = 0; i < TT_CONFIG_FILTERS; i++) {
        if (covers(&tt_filters[i], index)) {
            return true;
        }
    }
    return false;
}

/* Apply the filters of one stage that cover the event type. Returns false if one refuses the
 * event. A filter that is replaced meanwhile is applied in its old or its new state, never in a
 * mixture. */
static bool passes(tt_filter_stage_t stage, uint32_t index, tt_event_view_t *view)
{
    for (uint32_t i = 0; i < TT_CONFIG_FILTERS; i++) {
        if (!covers(&tt_filters[i], index)) {
            continue;
        }
        tt_port_key_t key = tt_control_lock();
        const tt_filter_t filter = tt_filters[i];
        tt_control_unlock(key);
        if (filter.stage != stage || !covers(&filter, index)) {
            continue;
        }
#if TT_CONFIG_EVENT_MASKS
        if (filter.event != TT_FILTER_EVERY && filter.event != tt_record_event(view->header)) {
            continue;
        }
#endif
        if (stage == TT_FILTER_THREAD) {
            if ((filter.by.thread.pid != 0u && filter.by.thread.pid != view->pid) ||
                (filter.by.thread.tid != 0u && filter.by.thread.tid != view->tid)) {
                return false;
            }
        } else {
            view->context = filter.by.call.context;
            if (!filter.by.call.handler(view)) {
                return false;
            }
        }
    }
    return true;
}

/* Return the run of this thread or interrupt, else a free slot, else NULL. Interrupts may take and
 * free slots meanwhile. */
static handler_run_t *find_run(uint32_t tid, uint32_t context)
{
    handler_run_t *free_run = NULL;
    for (uint32_t i = 0; i < TT_CONFIG_HANDLER_RUNS; i++) {
        handler_run_t *run = &handler_runs[i];
        uint32_t taken = tt_load(&run->context);
        if (taken == context && tt_peek(&run->tid) == tid) {
            return run;
        }
        if (taken == 0u) {
            free_run = run;
        }
    }
    return free_run;
}

/* Take a slot for a run of the handlers. Returns NULL when the caller is inside a handler already,
 * or no slot is free: the event then skips the handlers. */
static handler_run_t *begin_run(uint32_t tid)
{
    uint32_t context = tt_port_exception();
    if (TT_CONFIG_CPUS > 1 && (context != 0u || tid == 0u)) {
        tt_port_key_t key = tt_port_lock();
        context |= tt_port_cpu() << CPU_FIRST_BIT; /* not for threads, which may change the CPU */
        tt_port_unlock(key);
    }
    context |= RUNNING;
    for (;;) {
        handler_run_t *run = find_run(tid, context);
        if (run == NULL || tt_peek(&run->context) == context) {
            return NULL;
        }
        tt_port_key_t key = tt_control_lock();
        bool is_free = tt_peek(&run->context) == 0u;
        if (is_free) {
            tt_poke(&run->tid, tid);
            tt_store(&run->context, context);
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
    for (tt_filter_stage_t stage = TT_FILTER_THREAD; passed && stage <= TT_FILTER_EVENT_HANDLER;
         stage++) {
        if (stage == TT_FILTER_CLASS_HANDLER) {
            run = begin_run(view.tid);
            if (run == NULL) {
                break;
            }
        }
        passed = passes(stage, index, &view);
    }
    if (run != NULL) {
        tt_store(&run->context, 0);
    }
    return passed;
}

#if TT_CONFIG_EVENT_MASKS

uint32_t tt_filter_single(uint32_t header, const uint32_t *data, uint32_t word_count,
                          uint32_t streams)
{
    const uint32_t index = tt_route_of(header);
    streams = tt_selection_of_event(header, index, streams);
    /* Most events with a mask have no filter. */
    bool is_taken =
        streams != 0u && (!tt_filter_covers(index) || tt_filter_pass(header, data, word_count));
    return is_taken ? streams : 0u;
}

#endif
