/* drain_turn.h - the priority of the drain, and the lock that lets one thread drain at a time. */
#ifndef TICKERTAPE_ZEPHYR_DRAIN_TURN_H
#define TICKERTAPE_ZEPHYR_DRAIN_TURN_H

#include <zephyr/kernel.h>
#include <zephyr/sys/util.h>

/* 14 does not exist in an application with fewer priorities, or with no preemptible ones. */
#if CONFIG_TICKERTAPE_DRAIN_PRIORITY >= 0
#define TT_ZEPHYR_DRAIN_PRIORITY CONFIG_TICKERTAPE_DRAIN_PRIORITY
#else
#define TT_ZEPHYR_DRAIN_PRIORITY MIN(14, K_LOWEST_APPLICATION_THREAD_PRIO)
#endif

/* Lock and unlock the role of the drain: only one thread drains at a time. Threads; the first may
 * block. */
void tt_zephyr_drain_begin(void);
void tt_zephyr_drain_end(void);

#endif
