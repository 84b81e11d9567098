/* core/drain.h - the drain's frames beside replies. Drain thread only. */
#ifndef TICKERTAPE_CORE_DRAIN_H
#define TICKERTAPE_CORE_DRAIN_H

#include <stdbool.h>

/* Start with the first ring, without a share saved and without buffer callbacks. */
void tt_drain_reset(void);

/* Send at most one announcement or buffer. False when there is nothing to send, or no room. */
bool tt_drain_send(void);

#endif
