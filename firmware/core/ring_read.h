/* core/ring_read.h - the reading side of a ring: take full buffers, read counters. */
#ifndef TICKERTAPE_CORE_RING_READ_H
#define TICKERTAPE_CORE_RING_READ_H

#include "ring.h"

/* tt_ring_acquire() takes the oldest FULL buffer: it becomes SENDING. Returns NULL if there is
 * none, or if the writer overwrote it during each search. tt_ring_release() frees it after its
 * records were sent and updates the receipt. Drain. */
tt_buffer_t *tt_ring_acquire(tt_ring_t *ring);
void tt_ring_release(tt_ring_t *ring, tt_buffer_t *buffer);

/* Update the receipt after the first `count` records of a buffer were sent; the drain keeps the
 * buffer. Exists if TT_CONFIG_DRAIN_SLICE is not 0. */
void tt_ring_settle_part(tt_ring_t *ring, const tt_buffer_t *buffer, uint32_t count);

#if TT_CONFIG_READERS
/* As tt_ring_acquire(), for the drain and a reader on the target: returns NULL also while the other
 * one has a buffer, so that buffers are released in order. */
tt_buffer_t *tt_ring_acquire_exclusive(tt_ring_t *ring);
#else
static inline tt_buffer_t *tt_ring_acquire_exclusive(tt_ring_t *ring)
{
    return tt_ring_acquire(ring);
}
#endif

/* Read the receipt of a ring into *settled and its counters into *status. The counters are never
 * less than those of the receipt. Any context of any CPU. */
void tt_ring_account(uint32_t stream, uint32_t cpu, tt_receipt_t *settled,
                     tt_ring_status_t *status);

#endif
