/* tickertape_status.h - what an application may ask of the recorder in Zephyr. */
#ifndef TICKERTAPE_STATUS_H
#define TICKERTAPE_STATUS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * True when everything that was recorded has left for the host: some time after tt_stop() of every
 * stream. For programs that end, or that switch the power off. Threads.
 */
bool tt_zephyr_sent(void);

/*
 * Record the stack of each thread: its size, and how much of it was never used so far (SYSTEM
 * STACK_SIZE, STACK_UNUSED). It reads the unused part of every stack. Threads. Returns the number
 * of threads, or -ENOTSUP without CONFIG_INIT_STACKS and CONFIG_THREAD_STACK_INFO.
 */
int tt_zephyr_stacks(void);

#ifdef __cplusplus
}
#endif

#endif
