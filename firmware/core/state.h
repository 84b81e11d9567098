/* core/state.h - the state dump: existing objects as events of a starting stream. */
#ifndef TICKERTAPE_CORE_STATE_H
#define TICKERTAPE_CORE_STATE_H

#include <stdint.h>

/* Record every object that the target describes, if selected, into a stream that has just started;
 * filters are not applied. Threads, and before the kernel runs. */
void tt_state_dump(uint32_t stream);

#endif
