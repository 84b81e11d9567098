#include "classes.h"

#include "tickertape/events.h"
#include "tickertape/filter.h"
#include "tickertape/qnx.h"
#include "tickertape/tickertape.h"

/* Numbering of the events of an outer class, a class of TraceEvent(). */
typedef enum numbering {
    NUMBERS, /* event n is the n-th */
    BITS,    /* event 1 << n is the n-th */
    NONE,    /* no numbers: the class is one event */
} numbering_t;

/* An outer class: recorded events first, first + stride, ..., `count` of them. */
typedef struct outer {
    uint8_t recorded;
    uint8_t numbering;
    bool whole; /* it is the recorded class, or nearly all of it, and filtered as a whole */
    uint16_t first;
    uint16_t stride;
    uint16_t count;
} outer_t;

#define EVENTS 1024u

/* The n-th process event is number (n + 1) * 64. */
#define PROCESS_STRIDE 64u
#define PROCESS_EVENTS 5u

/* States, create and destroy; those of remote threads follow. */
#define THREAD_EVENTS 26u

static const outer_t outers[] = {
    [_NTO_TRACE_EMPTY] = {TT_CLASS_EMPTY, NUMBERS, true, 0, 1, EVENTS},
    [_NTO_TRACE_CONTROL] = {TT_CLASS_CONTROL, NUMBERS, true, 0, 1, EVENTS},
    [_NTO_TRACE_KERCALL] = {TT_CLASS_KERCALL, NUMBERS, true, 0, 1, TT_KERCALL_CALL_LIMIT},
    [_NTO_TRACE_KERCALLENTER] = {TT_CLASS_KERCALL, NUMBERS, false, 0, 1, TT_KERCALL_CALL_LIMIT},
    [_NTO_TRACE_KERCALLEXIT] = {TT_CLASS_KERCALL, NUMBERS, false, TT_KERCALL_EXIT_OFFSET, 1,
                                TT_KERCALL_CALL_LIMIT},
    [_NTO_TRACE_KERCALLINT] = {TT_CLASS_KERCALL, NUMBERS, false, TT_KERCALL_INTERRUPTED_OFFSET, 1,
                               TT_KERCALL_CALL_LIMIT},
    [_NTO_TRACE_INT] = {TT_CLASS_INT, NUMBERS, true, 0, 1, 0},
    [_NTO_TRACE_INTENTER] = {TT_CLASS_INT, NONE, false, TT_INT_ENTRY, 1, 1},
    [_NTO_TRACE_INTEXIT] = {TT_CLASS_INT, NONE, false, TT_INT_EXIT, 1, 1},
    [_NTO_TRACE_PROCESS] = {TT_CLASS_THREAD, BITS, false, PROCESS_STRIDE, PROCESS_STRIDE,
                            PROCESS_EVENTS},
    [_NTO_TRACE_THREAD] = {TT_CLASS_THREAD, BITS, true, 0, 1, THREAD_EVENTS},
    [_NTO_TRACE_VTHREAD] = {TT_CLASS_THREAD, BITS, false, THREAD_EVENTS, 1, THREAD_EVENTS},
    [_NTO_TRACE_USER] = {TT_CLASS_USER, NUMBERS, true, 0, 1, EVENTS},
    [_NTO_TRACE_SYSTEM] = {TT_CLASS_SYSTEM, NUMBERS, true, 0, 1, EVENTS},
    [_NTO_TRACE_COMM] = {TT_CLASS_COMM, NUMBERS, true, 0, 1, EVENTS},
    [_NTO_TRACE_INT_HANDLER_ENTER] = {TT_CLASS_INT, NONE, false, TT_INT_HANDLER_ENTRY, 1, 1},
    [_NTO_TRACE_INT_HANDLER_EXIT] = {TT_CLASS_INT, NONE, false, TT_INT_HANDLER_EXIT, 1, 1},
};

#define OUTER_COUNT (sizeof outers / sizeof outers[0])

uint32_t qnx_recorded_class(uint32_t outer)
{
    return outer < OUTER_COUNT ? outers[outer].recorded : TT_CLASS_COUNT;
}

/* Return the position of an event in its class; `count` when it is not an event of the class. */
static uint32_t place_of(const outer_t *outer, uint32_t event)
{
    if (outer->numbering == NUMBERS) {
        return event < outer->count ? event : outer->count;
    }
    for (uint32_t i = 0; outer->numbering == BITS && i < outer->count; i++) {
        if (event == 1u << i) {
            return i;
        }
    }
    return outer->count;
}

/* A kernel call is three events. */
static int for_call(uint32_t call, qnx_action_t action, const void *argument)
{
    int entered = action(TT_CLASS_KERCALL, call, argument);
    int left = action(TT_CLASS_KERCALL, TT_KERCALL_EXIT_OFFSET + call, argument);
    int interrupted = action(TT_CLASS_KERCALL, TT_KERCALL_INTERRUPTED_OFFSET + call, argument);
    return entered != TT_OK ? entered : left != TT_OK ? left : interrupted;
}

static bool is_other(uint32_t event_class, uint32_t event)
{
    return tt_route_index(event_class, event) + 1u == tt_class_first_route(event_class + 1u);
}

static int for_class(const outer_t *outer, bool few, qnx_action_t action, const void *argument)
{
    /* Masks of threads do not include processes. */
    bool thread_masks = outer->numbering == BITS && !few;
    if (outer->whole && !thread_masks) {
        return action(outer->recorded, TT_EVERY_EVENT, argument);
    }
    if (few && outer->count > 1u) {
        return TT_ERROR_ARGUMENT;
    }
    int result = TT_OK;
    bool has_others = false;
    for (uint32_t i = 0; i < outer->count && result == TT_OK; i++) {
        const uint32_t event = outer->first + i * outer->stride;
        if (TT_CONFIG_EVENT_MASKS && is_other(outer->recorded, event)) {
            has_others = true; /* together below: one by one, each would need an event mask */
        } else {
            result = action(outer->recorded, event, argument);
        }
    }
    return has_others && result == TT_OK ? action(outer->recorded, TT_OTHER_EVENTS, argument)
                                         : result;
}

int qnx_for_each(uint32_t outer_class, uint32_t event, bool few, qnx_action_t action,
                 const void *argument)
{
    if (outer_class >= OUTER_COUNT) {
        return TT_ERROR_ARGUMENT;
    }
    const outer_t *outer = &outers[outer_class];
    if (event == QNX_EVERY_EVENT) {
        return for_class(outer, few, action, argument);
    }
    uint32_t place = place_of(outer, event);
    if (place >= outer->count) {
        return TT_ERROR_ARGUMENT;
    }
    if (outer_class == _NTO_TRACE_KERCALL) {
        return for_call(place, action, argument);
    }
    return action(outer->recorded, outer->first + place * outer->stride, argument);
}
