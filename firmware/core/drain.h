/* core/drain.h - all frames of the drain except replies. Drain thread only. */
#ifndef TICKERTAPE_CORE_DRAIN_H
#define TICKERTAPE_CORE_DRAIN_H

#include <stdbool.h>

/* Forget the buffer at hand, the accumulated share of announcements and all buffer callbacks.
 * Called by tt_init(). */
void tt_drain_reset(void);

/* Send at most one announcement or buffer. Returns false when there is nothing to send or the link
 * has too little room. */
bool tt_drain_send(void);

#endif
