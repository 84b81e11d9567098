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

/* The streams that a route can name; with one stream a constant that needs no loop. */
#define STREAMS_BUILT_IN ((1u << TT_CONFIG_STREAMS) - 1u)

static inline uint32_t with_cpu(uint32_t header, uint32_t cpu)
{
    return header | (cpu << TT_RECORD_CPU_FIRST_BIT);
}

static inline void store(tt_ring_t *ring, uint32_t header, uint32_t time, uint32_t data0,
                         uint32_t data1)
{
    tt_record_t *slot = ring->cursor;
    slot->header = header;
    slot->time = time;
    slot->data[0] = data0;
    slot->data[1] = data1;
    ring->cursor = slot + 1;
}

/* Store one record in every stream of `route`; interrupts are masked. `now` is the tick counter,
 * `time` what the record says. */
static inline void store_routed(const uint32_t words[2], uint32_t header, uint32_t route,
                                uint32_t now, uint32_t time)
{
    uint32_t cpu = tt_port_cpu();
    header = with_cpu(header, cpu);
    tt_ring_t *ring = &tt_rings[0][cpu];
    for (route &= STREAMS_BUILT_IN; route != 0u; route >>= 1) {
        if ((route & 1u) != 0u &&
            (ring->cursor != ring->limit || tt_ring_advance(ring, header, now))) {
            store(ring, header, time, words[0], words[1]);
        }
        ring += TT_CONFIG_CPUS;
    }
}

uint32_t tt_record_stamped(uint32_t data0, uint32_t data1, uint32_t header, uint32_t route)
{
    const uint32_t words[2] = {data0, data1};
    if ((route & TT_ROUTE_SLOW) != 0u && !tt_filter_pass(header, words, 2)) {
        return 0;
    }
    tt_port_key_t key = tt_port_lock();
    uint32_t now = tt_port_ticks();
    store_routed(words, header, route, now, now);
    tt_port_unlock(key);
    return now;
}

void tt_record_part(const uint32_t words[2], uint32_t header, uint32_t route, uint32_t time)
{
    tt_port_key_t key = tt_port_lock();
    store_routed(words, header, route, tt_port_ticks(), time);
    tt_port_unlock(key);
}

void tt_record(uint32_t data0, uint32_t data1, uint32_t header, uint32_t route)
{
    if (route != TT_ROUTE_STREAM_0) {
        (void)tt_record_stamped(data0, data1, header, route);
        return;
    }
    tt_port_key_t key = tt_port_lock();
    uint32_t cpu = tt_port_cpu(); /* from here on it stays this one */
    tt_ring_t *ring = &tt_rings[0][cpu];
    if (ring->cursor == ring->limit) {
        tt_port_unlock(key);
        (void)tt_record_stamped(data0, data1, header, route);
        return;
    }
    store(ring, with_cpu(header, cpu), tt_port_ticks(), data0, data1);
    tt_port_unlock(key);
}
