/* tickertape_status.h - status of the recorder in Zephyr, for applications. */
#ifndef TICKERTAPE_STATUS_H
#define TICKERTAPE_STATUS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Return whether all records have been sent to the host. This happens some time after tt_stop() of
 * every stream. For programs that end or that switch the power off. Threads.
 */
bool tt_zephyr_sent(void);

/*
 * Record the stack of each thread: its size in bytes, and the number of bytes never used so far
 * (SYSTEM STACK_SIZE, STACK_UNUSED). This reads the unused part of every stack. Returns the number
 * of threads recorded, or -ENOTSUP without CONFIG_INIT_STACKS and CONFIG_THREAD_STACK_INFO.
 * Threads.
 */
int tt_zephyr_stacks(void);

#ifdef __cplusplus
}
#endif

#endif
