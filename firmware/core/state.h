/* core/state.h - the state dump: record existing objects when a stream starts. */
#ifndef TICKERTAPE_CORE_STATE_H
#define TICKERTAPE_CORE_STATE_H

#include <stdint.h>

/* Record every object that the target describes in a stream that has just started, as far as the
 * events are selected; filters are not applied. Threads, and before the kernel runs. */
void tt_state_dump(uint32_t stream);

#endif
