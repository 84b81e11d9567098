/* drain_turn.h - one thread at a time drains: between these two the caller is the drain. */
#ifndef TICKERTAPE_ZEPHYR_DRAIN_TURN_H
#define TICKERTAPE_ZEPHYR_DRAIN_TURN_H

/* Threads; may block. */
void tt_zephyr_drain_begin(void);
void tt_zephyr_drain_end(void);

#endif
