/* core/record.h - writing records, for the core itself. The public side is tickertape/emit.h. */
#ifndef TICKERTAPE_CORE_RECORD_H
#define TICKERTAPE_CORE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "ring.h"
#include "tickertape/emit.h"

static inline uint32_t tt_record_with_cpu(uint32_t header, uint32_t cpu)
{
    return header | (cpu << TT_RECORD_CPU_FIRST_BIT);
}

/*
 * Store a record in a ring that has room. Writer, interrupts masked. The cursor moves first: in
 * this order the compiler stores two words at a time. Where a writer may die in between (a process
 * that is killed), the cursor moves last, so that no incomplete record counts.
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
 * Write one record into the streams of `route`, which contains no other bits. Its time is a new
 * time stamp or, for a further record of a combine event, `*time`. A ring without room takes its
 * steps in masked sections of their own, unless the caller masks interrupts. Any context.
 */
void tt_record_words(const uint32_t words[2], uint32_t header, uint32_t route,
                     const uint32_t *time);

#endif
