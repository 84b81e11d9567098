/* core/record.h - functions of the core that store records. The public ones are in
 * tickertape/emit.h. */
#ifndef TICKERTAPE_CORE_RECORD_H
#define TICKERTAPE_CORE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "ring.h"
#include "tickertape/emit.h"

/* Return a record's header with the number of its CPU. */
static inline uint32_t tt_record_with_cpu(uint32_t header, uint32_t cpu)
{
    return header | (cpu << TT_RECORD_CPU_FIRST_BIT);
}

/*
 * Store a record in a ring that has room. Writer, interrupts masked. The cursor moves first,
 * because the compiler then stores two words at a time. In a port whose writer may die in between
 * (a process that is killed), the cursor moves last, so that an incomplete record never counts.
 */
static inline void tt_record_store(tt_ring_t *ring, uint32_t header, uint32_t time, uint32_t data0,
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

/*
 * Write one record into the streams of `route`, which contains only stream bits. `time` NULL: the
 * record gets a new time stamp; else it gets `*time`, as a further record of a combine event does.
 * A ring without room takes each step in a masked section of its own, unless the caller masks
 * interrupts. Any context.
 */
void tt_record_words(const uint32_t words[2], uint32_t header, uint32_t route,
                     const uint32_t *time);

#endif
