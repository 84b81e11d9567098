/* core/target.h - the target description passed to tt_init(). */
#ifndef TICKERTAPE_CORE_TARGET_H
#define TICKERTAPE_CORE_TARGET_H

#include <stdint.h>

#include "tickertape/tickertape.h"

/* Set the target. Called by tt_init(). */
void tt_target_set(const tt_target_t *target);

/* Return the target, NULL before tt_init(). */
const tt_target_t *tt_target(void);

/* Store domain and number of the running thread; 0 and 0 if the target does not report them. Any
 * context. */
void tt_current_thread(uint32_t *pid, uint32_t *tid);

#endif
