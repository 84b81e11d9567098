/*
 * The emit path. Every simple event pays for tt_record() only; everything else is out of line.
 *
 * tt_record() masks the interrupts of this CPU from reading the cursor to storing the record.
 * Reservation, time stamp and commit are one step, so that time never runs backwards inside a ring
 * and no reader gets an incomplete record.
 */
#include "record.h"

#include <stdatomic.h>
#include <stddef.h>

#include "filter.h"
#include "ring.h"
#include "tickertape/emit.h"

/* Functions out of the common path. Inlined, they would make it save registers; specialised for a
 * caller (noclone prevents this), they would cost it an instruction. */
#ifdef __clang__
#define RARE __attribute__((noinline))
#else
#define RARE __attribute__((noinline, noclone))
#endif

/* Return a route without its first stream; `route` contains only stream bits. */
static inline uint32_t without_first(uint32_t route)
{
    return TT_CONFIG_STREAMS == 1 ? 0u : route & (route - 1u);
}

void tt_record_words(const uint32_t words[2], uint32_t header, uint32_t route, const uint32_t *time)
{
    while (route != 0u) {
        tt_port_key_t key = tt_port_lock();
        uint32_t cpu = tt_port_cpu();
        uint32_t now = tt_port_ticks();
        tt_ring_t *ring = tt_ring_of_first(route, cpu);
        if (!tt_ring_has_room(ring)) {
            if (!tt_ring_advance(ring, header, now)) {
                route = without_first(route);
            }
        } else {
            do {
                tt_record_store(ring, tt_record_with_cpu(header, cpu), time == NULL ? now : *time,
                                words[0], words[1]);
                route = without_first(route);
                if (route == 0u) {
                    break;
                }
                ring = tt_ring_of_first(route, cpu);
            } while (tt_ring_has_room(ring));
        }
        tt_port_unlock(key);
    }
}

/* Record in several rings, one or more without room. `route` contains only stream bits. */
RARE static void record_in_steps(uint32_t data0, uint32_t data1, uint32_t header, uint32_t route)
{
    const uint32_t words[2] = {data0, data1};
    tt_record_words(words, header, route, NULL);
}

/* Record in several streams; `route` contains only stream bits. The record has the same time in all
 * streams up to the first one that has to open a buffer or drop it: that stream and the following
 * ones get new times. */
RARE static void record_routed(uint32_t data0, uint32_t data1, uint32_t header, uint32_t route)
{
    tt_port_key_t key = tt_port_lock();
    uint32_t cpu = tt_port_cpu();
    uint32_t time = tt_port_ticks();
    tt_ring_t *rings = tt_ring_of(0, cpu);
    __asm("" : "+r"(rings)); /* makes the compiler use one base address, not one for each stream */
#pragma GCC unroll 8
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        tt_ring_t *ring = &rings[stream * TT_RING_CPUS];
        /* With two streams, a route that comes here contains stream 1: stream 0 alone is the fast
         * path. */
        bool known_selected = TT_CONFIG_STREAMS == 2 && stream == 1u;
        if (!known_selected && (route & (1u << stream)) == 0u) {
            continue;
        }
        if (ring->cursor >= ring->limit) {
            tt_port_unlock(key);
            record_in_steps(data0, data1, header, route & (0xffu << stream));
            return;
        }
        tt_record_store(ring, tt_record_with_cpu(header, cpu), time, data0, data1);
    }
    tt_port_unlock(key);
}

/* Slow path: the event has filters, the ring of stream 0 has to switch buffers or drop, or the
 * event type has a wide form and this record is the short one. */
RARE static void record_slowly(uint32_t data0, uint32_t data1, uint32_t header, uint32_t route)
{
    const uint32_t words[2] = {data0, data1};
    const uint32_t streams = tt_filter_streams(header, words, 2, route);
    if (TT_CONFIG_STREAMS > 1 && streams > TT_ROUTE_STREAM_0) {
        record_routed(data0, data1, header, streams);
    } else {
        tt_record_words(words, header, streams, NULL);
    }
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
    uint32_t cpu = tt_port_cpu(); /* constant while interrupts are masked */
    tt_ring_t *ring = tt_ring_of(0, cpu);
    if (ring->cursor >= ring->limit) {
        tt_port_unlock(key);
        record_slowly(data0, data1, header, route);
        return;
    }
    tt_record_store(ring, tt_record_with_cpu(header, cpu), tt_port_ticks(), data0, data1);
    tt_port_unlock(key);
}

/* Record two events one by one: one of them opens a buffer or is dropped. */
RARE static void record_two_slowly(uint32_t object, uint32_t word, uint32_t call_header,
                                   uint32_t header)
{
    record_slowly(object, 0u, call_header, TT_ROUTE_STREAM_0);
    record_slowly(object, word, header, TT_ROUTE_STREAM_0);
}

void tt_record_two(uint32_t object, uint32_t word, uint32_t call_header, uint32_t header)
{
    tt_port_key_t key = tt_port_lock();
    uint32_t cpu = tt_port_cpu();
    tt_ring_t *ring = tt_ring_of(0, cpu);
    tt_record_t *slot = ring->cursor;
    if (slot + 2 > ring->limit) {
        tt_port_unlock(key);
        record_two_slowly(object, word, call_header, header);
        return;
    }
    uint32_t time = tt_port_ticks();
    slot[0].header = tt_record_with_cpu(call_header, cpu);
    slot[0].time = time;
    slot[0].data[0] = object;
    slot[0].data[1] = 0u;
    atomic_signal_fence(memory_order_release); /* else the compiler stores word by word */
    slot[1].header = tt_record_with_cpu(header, cpu);
    slot[1].time = time;
    slot[1].data[0] = object;
    slot[1].data[1] = word;
    atomic_signal_fence(memory_order_release); /* last: a writer may die (record.h) */
    ring->cursor = slot + 2;
    tt_port_unlock(key);
}
