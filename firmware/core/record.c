/*
 * The emit path. tt_record() is what every simple event pays; everything else is out of line.
 *
 * Interrupts of this CPU are masked from reading the cursor to storing the record: that makes
 * reservation, time stamp and commit one step, so time never runs backwards inside a ring and
 * no reader sees half a record.
 */
#include "record.h"

#include "core.h"
#include "ring.h"
#include "tickertape/emitters.h"

static inline uint32_t with_cpu(uint32_t header)
{
#if TT_CONFIG_CPUS > 1
    return header | (tt_port_cpu() << TT_RECORD_CPU_FIRST_BIT);
#else
    return header;
#endif
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

/* Store one record in every stream of `route`; interrupts are masked. */
static void record_in_streams(uint32_t header, uint32_t route, uint32_t now, uint32_t time,
                              uint32_t data0, uint32_t data1)
{
    uint32_t cpu = tt_port_cpu();
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        if ((route & (1u << stream)) == 0u) {
            continue;
        }
        tt_ring_t *ring = &tt_rings[stream][cpu];
        if (ring->cursor != ring->limit ||
            tt_ring_advance(ring, &tt_streams[stream], header, now)) {
            store(ring, with_cpu(header), time, data0, data1);
        } else if (tt_streams[stream].policy == TT_POLICY_UNTIL_FULL) {
            tt_stop_full(stream);
        }
    }
}

/* Every case but the common one. Not inlined, so that the common one saves no registers. */
uint32_t __attribute__((noinline)) tt_record_begin(uint32_t header, uint32_t route, uint32_t data0,
                                                   uint32_t data1)
{
    const uint32_t data[2] = {data0, data1};
    if ((route & TT_ROUTE_SLOW) != 0u && !tt_filter_pass(header, data, 2)) {
        return 0;
    }
    tt_port_key_t key = tt_port_lock();
    uint32_t now = tt_port_ticks();
    record_in_streams(header, route, now, now, data0, data1);
    tt_port_unlock(key);
    return now;
}

void tt_record_part(uint32_t header, uint32_t route, uint32_t time, const uint32_t words[2])
{
    tt_port_key_t key = tt_port_lock();
    record_in_streams(header, route, tt_port_ticks(), time, words[0], words[1]);
    tt_port_unlock(key);
}

void tt_record(uint32_t header, uint32_t route, uint32_t data0, uint32_t data1)
{
    if (route == TT_ROUTE_STREAM_0) {
        tt_ring_t *ring = &tt_rings[0][tt_port_cpu()];
        tt_port_key_t key = tt_port_lock();
        if (ring->cursor != ring->limit) {
            store(ring, with_cpu(header), tt_port_ticks(), data0, data1);
            tt_port_unlock(key);
            return;
        }
        tt_port_unlock(key);
    }
    (void)tt_record_begin(header, route, data0, data1);
}

void tt_record_control_time(uint32_t route, uint64_t ticks)
{
    (void)tt_record_begin(
        TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0, 0, TT_CLASS_CONTROL, TT_CONTROL_TIME), route,
        (uint32_t)(ticks >> 32), (uint32_t)ticks);
}
