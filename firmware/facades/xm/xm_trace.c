#include "xm_trace.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "tickertape/add.h"
#include "tickertape/define.h"
#include "tickertape/tickertape.h"

static void trace_nothing(int event, long data, unsigned long eip)
{
    (void)event;
    (void)data;
    (void)eip;
}

void (*xm_trace)(int event, long data, unsigned long eip) = trace_nothing;

/* Not inlined, so that the return address is the place of the trace point. */
void __attribute__((noinline)) xm_trace2(int event, long data)
{
    unsigned long eip = (unsigned long)(uintptr_t)__builtin_return_address(0);
#ifdef __thumb__
    eip &= ~1ul; /* bit 0 marks Thumb code */
#endif
    xm_trace(event, data, eip);
}

#define CLASS_COUNT 5u

#define PLAIN(event)     TT_EVENT_TYPE(XM_FIRST_CLASS, event)
#define IRQSTATE(event)  TT_EVENT_TYPE(TT_CLASS_IRQSTATE, event)
#define SCHEDULER(event) TT_EVENT_TYPE(TT_CLASS_SCHED, event)

typedef struct known {
    uint16_t type;
    const char *name;
} known_t;

/* Predefined events; a definition of the user takes precedence. */
static const known_t known[XM_TRACE_FIRST_FREE] = {
    [XM_TRACE_HARD_CLI] = {IRQSTATE(TT_IRQSTATE_HARD_CLI), "hard cli"},
    [XM_TRACE_HARD_STI] = {IRQSTATE(TT_IRQSTATE_HARD_STI), "hard sti"},
    [XM_TRACE_HARD_SAVE_FLAGS] = {IRQSTATE(TT_IRQSTATE_HARD_SAVE_FLAGS), "hw_save_flags"},
    [XM_TRACE_HARD_RESTORE_FLAGS] = {IRQSTATE(TT_IRQSTATE_HARD_RESTORE_FLAGS), "hw_restore_flags"},
    [XM_TRACE_HARD_SAVEF_AND_CLI] = {IRQSTATE(TT_IRQSTATE_HARD_SAVEF_AND_CLI),
                                     "hw_save_flags_and_cli"},
    [XM_TRACE_INTERCEPT] = {IRQSTATE(TT_IRQSTATE_INTERCEPT), "rtl_intercept entry"},
    [XM_TRACE_INTERCEPT_EXIT] = {IRQSTATE(TT_IRQSTATE_INTERCEPT_EXIT), "rtl_intercept exit"},
    [XM_TRACE_LOCAL_INTERCEPT] = {IRQSTATE(TT_IRQSTATE_LOCAL_INTERCEPT), "local_intercept entry"},
    [XM_TRACE_LOCAL_INTERCEPT_EXIT] = {IRQSTATE(TT_IRQSTATE_LOCAL_INTERCEPT_EXIT),
                                       "local_intercept exit"},
    [XM_TRACE_SPIN_LOCK] = {IRQSTATE(TT_IRQSTATE_SPIN_LOCK), "rtl_spin_lock"},
    [XM_TRACE_SPIN_UNLOCK] = {IRQSTATE(TT_IRQSTATE_SPIN_UNLOCK), "rtl_spin_unlock"},
    [XM_TRACE_SCHED_IN] = {SCHEDULER(TT_SCHED_IN), "scheduler in"},
    [XM_TRACE_SCHED_OUT] = {SCHEDULER(TT_SCHED_OUT), "scheduler out"},
    [XM_TRACE_SCHED_CTX_SWITCH] = {SCHEDULER(TT_SCHED_SWITCH_TO), "rtl_switch_to"},
    [XM_TRACE_REDD_RX] = {PLAIN(XM_TRACE_REDD_RX), "unknown"},
    [XM_TRACE_REDD_TX] = {PLAIN(XM_TRACE_REDD_TX), "unknown"},
    [XM_TRACE_REDD_TX_ACK] = {PLAIN(XM_TRACE_REDD_TX_ACK), "unknown"},
    [XM_TRACE_REDD_DEBUG] = {PLAIN(XM_TRACE_REDD_DEBUG), "unknown"},
    [XM_TRACE_USER] = {TT_EVENT_TYPE(TT_CLASS_USER, XM_TRACE_USER), "user"},
    [XM_TRACE_DOMAIN_USER] = {TT_EVENT_TYPE(TT_CLASS_DOMAIN, TT_DOMAIN_USER), "xm-domain"},
};

/* The classes of tickertape for each class of xmtrace: first the class of events that
 * xm_event_set_class() assigns, then the classes of its predefined events. */
static const uint8_t classes[CLASS_COUNT][3] = {
    {XM_FIRST_CLASS, TT_CLASS_DOMAIN, TT_CLASS_DOMAIN},
    {XM_FIRST_CLASS + 1u, TT_CLASS_IRQSTATE, TT_CLASS_INT},
    {TT_CLASS_USER, TT_CLASS_USER, TT_CLASS_USER},
    {XM_FIRST_CLASS + 2u, TT_CLASS_SCHED, TT_CLASS_SCHED},
    {XM_FIRST_CLASS + 3u, XM_FIRST_CLASS + 3u, XM_FIRST_CLASS + 3u},
};

/* Predefined events with the last numbers. */
static const known_t syscalls[] = {
    {TT_EVENT_TYPE(TT_CLASS_DOMAIN, TT_DOMAIN_SYSCALL_ENTER), "syscall entry"},
    {TT_EVENT_TYPE(TT_CLASS_DOMAIN, TT_DOMAIN_SYSCALL_EXIT), "syscall exit"},
};

_Static_assert(TT_CONFIG_EVENT_MASKS >= XM_TRACE_MAX_EVENTS,
               "xmtrace: TT_CONFIG_EVENT_MASKS=64, one for each event");

/* Disabled events, one bit each; the selection follows from them. */
static atomic_uint disabled[XM_TRACE_MAX_EVENTS / 32];

static bool is_event(int event)
{
    return event >= 0 && event < XM_TRACE_MAX_EVENTS && event != XM_TRACE_FINALIZE;
}

/* Return a predefined event; NULL for an event of the user. */
static const known_t *find_known(int event)
{
    if (event >= XM_TRACE_SYSCALL_ENTRY) {
        return &syscalls[event - XM_TRACE_SYSCALL_ENTRY];
    }
    return event < XM_TRACE_FIRST_FREE ? &known[event] : NULL;
}

static uint32_t type_of(int event)
{
    uint32_t type = tt_definition((uint32_t)event);
    if (type != TT_UNDEFINED) {
        return type;
    }
    const known_t *found = find_known(event);
    return found != NULL ? found->type : PLAIN(event);
}

static bool is_disabled(int event)
{
    uint32_t word = atomic_load_explicit(&disabled[event / 32], memory_order_relaxed);
    return ((word >> (event % 32)) & 1u) != 0u;
}

static const char *name_of(int event)
{
    const char *name = tt_definition_name((uint32_t)event);
    if (name != NULL) {
        return name;
    }
    const known_t *found = find_known(event);
    return found != NULL ? found->name : "unknown";
}

static void do_trace(int event, long data, unsigned long eip)
{
    if (event == XM_TRACE_FINALIZE) {
#if TT_CONFIG_FINALIZE
        (void)tt_finalize(XM_STREAM);
#endif
    } else if (is_event(event)) {
        uint32_t type = type_of(event);
        tt_add_event(type >> 10, type & TT_RECORD_EVENT_MASK, (uint32_t)data, (uint32_t)eip);
    }
}

int xm_set_finalize(enum xm_finalize behaviour)
{
    if (behaviour != XM_FINALIZE_NEXT && behaviour != XM_FINALIZE_ANY_FREE) {
        return -1;
    }
    uint32_t policy =
        behaviour == XM_FINALIZE_ANY_FREE ? TT_POLICY_FINALIZE_FREE : TT_POLICY_FINALIZE;
    if (tt_set_policy(XM_STREAM, policy) != TT_OK) {
        return -1;
    }
    /* Record the end of each trace regardless of the class mask: the host needs it to separate
     * traces. */
    return tt_select_event(XM_STREAM, TT_CLASS_TRACER, TT_TRACER_FINALIZE, true) == TT_OK ? 0 : -1;
}

unsigned int xm_lost_traces(void)
{
    uint32_t lost = 0;
#if TT_CONFIG_FINALIZE
    uint32_t finished;
    (void)tt_finalized(XM_STREAM, &finished, &lost);
#endif
    return lost;
}

/* The class mask that was set last; before, events are selected by other means. */
static unsigned int class_mask = XM_CLASS_ALL;
static bool mask_is_set;

/* Select an event, if the class mask contains its class, or remove it. Returns a tt_result_t. */
static int select_event(int event, bool take)
{
    const uint32_t type = type_of(event);
    const uint32_t event_class = type >> 10;
    for (uint32_t i = 0; i < CLASS_COUNT; i++) {
        if (event_class == classes[i][0] || event_class == classes[i][1]) {
            return tt_select_event(XM_STREAM, event_class, type & TT_RECORD_EVENT_MASK,
                                   take && ((class_mask >> i) & 1u) != 0u);
        }
    }
    return TT_ERROR_ARGUMENT;
}

void xm_set_class_mask(unsigned int mask)
{
    for (uint32_t i = 0; i < CLASS_COUNT; i++) {
        bool take = ((mask >> i) & 1u) != 0u;
        for (uint32_t k = 0; k < sizeof classes[i]; k++) {
            (void)tt_select_class(XM_STREAM, classes[i][k], take);
        }
    }
    class_mask = mask;
    mask_is_set = true;
    for (int event = 0; event < XM_TRACE_MAX_EVENTS; event++) {
        if (is_event(event) && is_disabled(event)) {
            (void)select_event(event, false);
        }
    }
}

/* Return true while the stream takes no event of xmtrace. */
static bool takes_nothing(void)
{
    for (int event = 0; event < XM_TRACE_MAX_EVENTS; event++) {
        const uint32_t type = type_of(event);
        if (is_event(event) && tt_selected(XM_STREAM, type >> 10, type & TT_RECORD_EVENT_MASK)) {
            return false;
        }
    }
    return true;
}

int xm_trace_start(void)
{
    /* Loading xmtrace enables all events. Here the application may have selected events before. */
    if (!mask_is_set && takes_nothing()) {
        xm_set_class_mask(XM_CLASS_ALL);
    }
    if (tt_start(XM_STREAM) != TT_OK) {
        return -1;
    }
    xm_trace = do_trace;
    return 0;
}

int xm_trace_stop(void)
{
    xm_trace = trace_nothing;
    return tt_stop(XM_STREAM) == TT_OK ? 0 : -1;
}

int xm_event_enable(int event)
{
    if (!is_event(event)) {
        return -1;
    }
    (void)atomic_fetch_and(&disabled[event / 32], ~(1u << (event % 32)));
    return select_event(event, true) == TT_OK ? 0 : -1;
}

int xm_event_disable(int event)
{
    if (!is_event(event)) {
        return -1;
    }
    if (select_event(event, false) != TT_OK) {
        return -1;
    }
    (void)atomic_fetch_or(&disabled[event / 32], 1u << (event % 32));
    return 0;
}

int xm_event_set_name(int event, const char *name)
{
    if (!is_event(event)) {
        return -1;
    }
    uint32_t type = type_of(event);
    return tt_define((uint32_t)event, type >> 10, type & TT_RECORD_EVENT_MASK, name) == TT_OK ? 0
                                                                                              : -1;
}

int xm_event_set_class(int event, unsigned int event_class)
{
    for (uint32_t i = 0; i < CLASS_COUNT && is_event(event); i++) {
        if (event_class == 1u << i) {
            /* Restores its old event type, which another event may use. */
            (void)select_event(event, true);
            int result = tt_define((uint32_t)event, classes[i][0], (uint32_t)event, name_of(event));
            if (is_disabled(event)) {
                result |= select_event(event, false);
            }
            return result == TT_OK ? 0 : -1;
        }
    }
    return -1;
}
