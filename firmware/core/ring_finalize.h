/* core/ring_finalize.h - buffers that keep their newest records until tt_finalize() finishes the
 * trace. */
#ifndef TICKERTAPE_CORE_RING_FINALIZE_H
#define TICKERTAPE_CORE_RING_FINALIZE_H

#include "ring.h"

#if TT_CONFIG_FINALIZE
/* Begin to overwrite the oldest records of the buffer being filled, which is full. `now` is a
 * reading of the tick counter. Writer, interrupts masked. */
void tt_ring_begin_lap(tt_ring_t *ring, uint32_t now);
/* Count the old records before position `stop` as overwritten, in a later lap, and advance the
 * buffer's time. Writer, interrupts masked. */
void tt_ring_forget(tt_ring_t *ring, uint32_t stop);
/* Rotate the records of a buffer that the drain has taken, so that the oldest comes first.
 * Drain. */
void tt_ring_straighten(tt_ring_t *ring, tt_buffer_t *buffer);
#else
static inline void tt_ring_forget(const tt_ring_t *ring, uint32_t stop)
{
    (void)ring;
    (void)stop;
}
#endif

#endif
