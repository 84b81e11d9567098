/* core/ring_finalize.h - buffers that keep their newest records until their trace is finished. */
#ifndef TICKERTAPE_CORE_RING_FINALIZE_H
#define TICKERTAPE_CORE_RING_FINALIZE_H

#include "ring.h"

#if TT_CONFIG_FINALIZE
/* The buffer being filled is full: begin to overwrite its oldest records. Writer, interrupts
 * masked.
 */
void tt_ring_begin_lap(tt_ring_t *ring, uint32_t now);
/* Give up the records before slot `stop` in a later lap, and advance the buffer's time. Writer,
 * interrupts masked. */
void tt_ring_forget(tt_ring_t *ring, uint32_t stop);
/* Sort the records of a buffer that the drain has taken, oldest first. Drain. */
void tt_ring_straighten(tt_ring_t *ring, tt_buffer_t *buffer);
#else
static inline void tt_ring_forget(const tt_ring_t *ring, uint32_t stop)
{
    (void)ring;
    (void)stop;
}
#endif

#endif
