/* core/start.h - state of starting and stopping streams. */
#ifndef TICKERTAPE_CORE_START_H
#define TICKERTAPE_CORE_START_H

/* Stop, release and detach every stream. Called by tt_init(). */
void tt_start_reset(void);

#endif
