/* drain_turn.h - the priority of the drain; one thread at a time drains. */
#ifndef TICKERTAPE_ZEPHYR_DRAIN_TURN_H
#define TICKERTAPE_ZEPHYR_DRAIN_TURN_H

#include <zephyr/kernel.h>
#include <zephyr/sys/util.h>

/* An application may have any number of priorities, also none that are preemptible. */
#if CONFIG_TICKERTAPE_DRAIN_PRIORITY >= 0
#define TT_ZEPHYR_DRAIN_PRIORITY CONFIG_TICKERTAPE_DRAIN_PRIORITY
#else
#define TT_ZEPHYR_DRAIN_PRIORITY MIN(14, K_LOWEST_APPLICATION_THREAD_PRIO)
#endif

/* Between these two the caller is the drain. Threads; may block. */
void tt_zephyr_drain_begin(void);
void tt_zephyr_drain_end(void);

#endif
