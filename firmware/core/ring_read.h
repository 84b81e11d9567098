/* core/ring_read.h - the reader's side of a ring: take full buffers, read the counters. */
#ifndef TICKERTAPE_CORE_RING_READ_H
#define TICKERTAPE_CORE_RING_READ_H

#include "ring.h"

/* Take the oldest full buffer, or return NULL; release it after its records were sent. Drain. */
tt_buffer_t *tt_ring_acquire(tt_ring_t *ring);
void tt_ring_release(tt_ring_t *ring, tt_buffer_t *buffer);

/* The first `count` records of a buffer were sent; the drain keeps the buffer. Where
 * TT_CONFIG_DRAIN_SLICE is not 0. */
void tt_ring_settle_part(tt_ring_t *ring, const tt_buffer_t *buffer, uint32_t count);

#if TT_CONFIG_READERS
/* The same for the drain and a reader on the target: NULL also while the other one has a buffer, so
 * that buffers are released in their order. */
tt_buffer_t *tt_ring_acquire_exclusive(tt_ring_t *ring);
#else
static inline tt_buffer_t *tt_ring_acquire_exclusive(tt_ring_t *ring)
{
    return tt_ring_acquire(ring);
}
#endif

/* Read the receipt, then the counters of a ring: the counters are never less than the receipt. Any
 * context of any CPU. */
void tt_ring_account(uint32_t stream, uint32_t cpu, tt_receipt_t *settled,
                     tt_ring_status_t *status);

#endif
