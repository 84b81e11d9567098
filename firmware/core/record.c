/*
 * The emit path. tt_record() is what every simple event pays; everything else is out of line.
 *
 * Interrupts of this CPU are masked from reading the cursor to storing the record: that makes
 * reservation, time stamp and commit one step, so time never runs backwards inside a ring and
 * no reader sees half a record.
 */
#include "record.h"

#include <stddef.h>

#include "core.h"
#include "ring.h"
#include "tickertape/emit.h"

/* Kept out of the common path: inlined, it would have that save more registers. */
#define RARE __attribute__((noinline))

static inline uint32_t with_cpu(uint32_t header, uint32_t cpu)
{
    return header | (cpu << TT_RECORD_CPU_FIRST_BIT);
}

/* The cursor first: in this order the compiler stores two words at a time. Where a writer may end
 * in the middle (a process that is killed), the cursor last: there is no incomplete record then. */
static inline void store(tt_ring_t *ring, uint32_t header, uint32_t time, uint32_t data0,
                         uint32_t data1)
{
#ifdef TT_PORT_WRITERS_DIE
    tt_record_t *slot = ring->cursor;
    *slot = (tt_record_t){header, time, {data0, data1}};
    atomic_signal_fence(memory_order_release);
    ring->cursor = slot + 1;
#else
    tt_record_t *slot = ring->cursor++;
    slot->header = header;
    slot->time = time;
    slot->data[0] = data0;
    slot->data[1] = data1;
#endif
}

uint32_t tt_record_words(const uint32_t words[2], uint32_t header, uint32_t route,
                         const uint32_t *time)
{
    tt_port_key_t key = tt_port_lock();
    uint32_t cpu = tt_port_cpu();
    uint32_t now = tt_port_ticks();
    uint32_t stamp = time == NULL ? now : *time;
    header = with_cpu(header, cpu);
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        tt_ring_t *ring = &tt_rings[stream][cpu];
        if (((route >> stream) & 1u) != 0u &&
            (ring->cursor < ring->limit || tt_ring_advance(ring, header, now))) {
            store(ring, header, stamp, words[0], words[1]);
        }
    }
    tt_port_unlock(key);
    return stamp;
}

/* Every case that is not a common one: a ring has to open a buffer or to drop, filters are to be
 * asked, or an event type with a wide form is recorded in the fast one. */
RARE static void record_slowly(uint32_t data0, uint32_t data1, uint32_t header, uint32_t route)
{
    const uint32_t words[2] = {data0, data1};
    if ((route & TT_ROUTE_SLOW) == 0u || tt_filter_pass(header, words, 2)) {
        (void)tt_record_words(words, header, route & TT_ROUTE_STREAMS_MASK, NULL);
    }
}

/* The same record in several streams; `route` has their bits alone. It has the same time in all of
 * them, unless one has to open a buffer or to drop: this one and those behind it are stamped
 * afresh. */
RARE static void record_routed(uint32_t data0, uint32_t data1, uint32_t header, uint32_t route)
{
    tt_port_key_t key = tt_port_lock();
    uint32_t cpu = tt_port_cpu();
    uint32_t time = tt_port_ticks();
    tt_ring_t *rings = &tt_rings[0][cpu];
    __asm("" : "+r"(rings)); /* one address to count from, not one for each stream */
#pragma GCC unroll 8
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        tt_ring_t *ring = &rings[stream * TT_CONFIG_CPUS];
        bool certain = TT_CONFIG_STREAMS == 2 && stream == 1u; /* stream 0 alone is not here */
        if (!certain && (route & (1u << stream)) == 0u) {
            continue;
        }
        if (ring->cursor >= ring->limit) {
            tt_port_unlock(key);
            record_slowly(data0, data1, header, route & (0xffu << stream));
            return;
        }
        store(ring, with_cpu(header, cpu), time, data0, data1);
    }
    tt_port_unlock(key);
}

void tt_record(uint32_t data0, uint32_t data1, uint32_t header, uint32_t route)
{
    if (route != TT_ROUTE_STREAM_0) {
        if (TT_CONFIG_STREAMS == 1 || (route & ~TT_ROUTE_STREAMS_MASK) != 0u) {
            record_slowly(data0, data1, header, route);
        } else {
            record_routed(data0, data1, header, route);
        }
        return;
    }
    tt_port_key_t key = tt_port_lock();
    uint32_t cpu = tt_port_cpu(); /* from here on it stays this one */
    tt_ring_t *ring = &tt_rings[0][cpu];
    if (ring->cursor >= ring->limit) {
        tt_port_unlock(key);
        record_slowly(data0, data1, header, route);
        return;
    }
    store(ring, with_cpu(header, cpu), tt_port_ticks(), data0, data1);
    tt_port_unlock(key);
}
