/* core/start.h - streams start, stop, are held and flushed. */
#ifndef TICKERTAPE_CORE_START_H
#define TICKERTAPE_CORE_START_H

/* No stream runs, is held or is attached. Called by tt_init(). */
void tt_start_reset(void);

#endif
