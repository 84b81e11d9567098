/*
 * tt_measure_cost(): measure the time that an event takes on this target.
 *
 * Simple events are timed in a masked section in which no ring has to take a step, so that the
 * section stays within the limits of masked time: this gives the least and usual cost. A combine
 * event and a switch of buffers are timed with interrupts enabled: their times are upper limits
 * only. Each timed event reports the previous measurement, so that no further records are needed.
 */
#include <stdbool.h>
#include <stddef.h>

#include "record.h"
#include "ring.h"
#include "tickertape/add.h"
#include "tickertape/emit.h"
#include "tickertape/tickertape.h"

/* Events per masked section. An emit takes 23 to 31 instructions, and each further stream adds 10
 * to 12. */
#define EVENTS   (TT_CONFIG_STREAMS == 1 ? 8u : TT_CONFIG_STREAMS == 2 ? 4u : 2u)
#define SECTIONS 2u
#define TRIES    4u

#define NOTHING 0u
#define SIMPLE  1u
#define COMBINE 2u
#define SWITCH  3u

#define MEASURED(what, records) (((what) << 16) | (records))
#define COMBINE_RECORDS         2u

/* A measurement that has not been reported yet. */
typedef struct found {
    uint32_t measured;
    uint32_t ticks;
} found_t;

static void report_cost(const found_t *found)
{
    TT_EMIT2(TT_CLASS_TRACER, TT_TRACER_COST, TT_ROUTE_TRACER_COST, found->measured, found->ticks);
}

/* Return whether every ring of a route takes EVENTS records without a step. Interrupts are
 * masked. */
static bool has_room(uint32_t route, uint32_t cpu)
{
    while (route != 0u) {
        const tt_ring_t *ring = tt_ring_of_first(route, cpu);
        if (ring->limit - ring->cursor < (ptrdiff_t)EVENTS) {
            return false;
        }
        route &= route - 1u;
    }
    return true;
}

/* Time EVENTS events. Returns false, and measures nothing, if a ring has no room for them. */
static bool measure_events(uint32_t route, found_t *found)
{
    tt_port_key_t key = tt_port_lock();
    bool fits = has_room(route, tt_port_cpu());
    if (fits) {
        const found_t before = *found;
        const uint32_t begin = tt_port_ticks();
#pragma GCC unroll 8
        for (uint32_t i = 0; i < EVENTS; i++) {
            report_cost(&before);
        }
        found->ticks = tt_port_ticks() - begin;
        found->measured = MEASURED(SIMPLE, EVENTS);
    }
    tt_port_unlock(key);
    return fits;
}

/* Time an empty section: the cost of reading the counter. */
static void measure_nothing(found_t *found)
{
    tt_port_key_t key = tt_port_lock();
    const uint32_t begin = tt_port_ticks();
    found->ticks = tt_port_ticks() - begin;
    found->measured = MEASURED(NOTHING, 0u);
    tt_port_unlock(key);
}

static void measure_combine(found_t *found)
{
    static const uint32_t unused = 0;
    const uint32_t begin = tt_port_ticks();
    tt_record_wide(found->measured, found->ticks,
                   TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, 0u, TT_CLASS_TRACER, TT_TRACER_COST),
                   tt_route_load(TT_ROUTE_TRACER_COST), &unused, 1);
    found->ticks = tt_port_ticks() - begin;
    found->measured = MEASURED(COMBINE, COMBINE_RECORDS);
}

/* Return whether each ring of a route can switch its buffer: it keeps a free one, and the switch
 * ends no trace of FINALIZE. */
static bool may_switch(uint32_t route, uint32_t cpu)
{
    while (route != 0u) {
        const tt_ring_t *ring = tt_ring_of_first(route, cpu);
        if (ring->policy >= TT_POLICY_FINALIZE ||
            tt_ring_used_buffers(ring) + 1u >= ring->buffer_count) {
            return false;
        }
        route &= route - 1u;
    }
    return true;
}

static void measure_switch(uint32_t route, found_t *found)
{
    tt_port_key_t key = tt_port_lock();
    const uint32_t cpu = tt_port_cpu();
    const bool may = may_switch(route, cpu);
    tt_port_unlock(key);
    if (may) {
        const uint32_t begin = tt_port_ticks();
        for (uint32_t rest = route; rest != 0u; rest &= rest - 1u) {
            tt_ring_flush(tt_ring_of_first(rest, cpu)); /* after a move that CPU does it later */
        }
        report_cost(found);
        found->ticks = tt_port_ticks() - begin;
        found->measured = MEASURED(SWITCH, 1u);
    }
}

int tt_measure_cost(void)
{
    const uint32_t route = TT_CLASS_BUILT_IN(TT_CLASS_TRACER) ? tt_route[TT_ROUTE_TRACER_COST] : 0u;
    if (route == 0u || (route & ~TT_ROUTE_STREAMS_MASK) != 0u) {
        return TT_ERROR_STATE;
    }
    found_t found;
    measure_nothing(&found);
    for (uint32_t done = 0, tries = 0; done < SECTIONS && tries < TRIES; tries++) {
        if (measure_events(route, &found)) {
            done++;
        } else {
            report_cost(&found); /* makes the ring take its next step */
        }
    }
    measure_combine(&found);
    measure_switch(route, &found);
    report_cost(&found);
    return TT_OK;
}
