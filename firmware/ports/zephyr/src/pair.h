/*
 * pair.h - records two events at once: the begin of a kernel call, and its effect on an object.
 *
 * If both go to stream 0 alone they are recorded in one step. This saves a third of a call's cost,
 * and no interrupt can occur between the two.
 */
#ifndef TICKERTAPE_ZEPHYR_PAIR_H
#define TICKERTAPE_ZEPHYR_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/emit.h"
#include "tickertape/port.h"
#include "tickertape_zephyr.h"

/* Record the two events one by one. Needed if no stream takes one of them, for filters, for several
 * streams, for the wide form, and in an interrupt, whose calls are not recorded. */
__attribute__((cold)) void tt_zephyr_record_apart(uint32_t object, uint32_t word,
                                                  uint32_t call_header, uint32_t header);

/* Record the begin of a call and a second event. `header` is the header of the second event,
 * `index` the index of its route, `word` its second word. `any_context`: whether interrupts may
 * make the call. All arguments but object and word are constants. */
static inline __attribute__((always_inline)) void
tt_zephyr_enter_and(uint32_t call, const volatile void *object, uint32_t header, uint32_t index,
                    uint32_t word, bool any_context)
{
    const uint32_t call_header = TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, 0u, TT_CLASS_KERCALL, call);
    const uint32_t id = (uint32_t)(uintptr_t)object;
    uint32_t of_call = tt_route_load(tt_kercall_route(TT_ROUTE_KERCALL_FIRST_ENTER, call));
    uint32_t of_event = tt_route_load(index);
    _Static_assert(TT_ROUTE_STREAM_0 == 1u, "a product is 1 where both factors are");
    if (of_call * of_event == TT_ROUTE_STREAM_0 && (!any_context || tt_port_exception() == 0u)) {
        tt_record_two(id, word, call_header, header);
    } else if ((of_call | of_event) != 0u) {
        tt_zephyr_record_apart(id, word, call_header, header);
    }
}

/* Record the end of a call that no interrupt makes. Inlined into files that are compiled for
 * speed. */
static inline void tt_zephyr_exit_in_thread(uint32_t call, int32_t result)
{
    uint32_t route = tt_route_load(tt_kercall_route(TT_ROUTE_KERCALL_FIRST_EXIT, call));
    if (route == TT_ROUTE_STREAM_0) {
        tt_record((uint32_t)result, 0u,
                  TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, 0u, TT_CLASS_KERCALL,
                                   call + TT_KERCALL_EXIT_OFFSET),
                  TT_ROUTE_STREAM_0);
    } else if (route != 0u) {
        tt_zephyr_record_call((uint32_t)result, 0u, call + TT_KERCALL_EXIT_OFFSET, route);
    }
}

#define TT_ZEPHYR_SYNC_HEADER(event)                                                               \
    TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, 0u, TT_CLASS_SYNC, TT_SYNC_##event)

/* The same with a second event of class SYNC. */
#define TT_ZEPHYR_ENTER_AND(call, object, event, word, any_context)                                \
    tt_zephyr_enter_and(call, object, TT_ZEPHYR_SYNC_HEADER(event), TT_ROUTE_SYNC_##event, word,   \
                        any_context)

#endif
