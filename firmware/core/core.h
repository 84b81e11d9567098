/* core/core.h - what the parts of the recorder need of each other beside rings and records. */
#ifndef TICKERTAPE_CORE_CORE_H
#define TICKERTAPE_CORE_CORE_H

#include <stdbool.h>
#include <stdint.h>

/* True from tt_init() on. */
bool tt_drain_ready(void);

/* Select nothing for any stream. */
void tt_route_reset(void);

/* A stream with policy UNTIL_FULL met its end. Interrupts are masked; nothing is recorded. */
void tt_stop_full(uint32_t stream);

#endif
