/* core/state.h - what lives when a stream starts, as events of that stream. */
#ifndef TICKERTAPE_CORE_STATE_H
#define TICKERTAPE_CORE_STATE_H

#include <stdint.h>

/* Record everything that the target describes into a stream that has just started, as far as it is
 * selected; filters are not asked. Threads, and before the kernel runs. */
void tt_state_dump(uint32_t stream);

#endif
