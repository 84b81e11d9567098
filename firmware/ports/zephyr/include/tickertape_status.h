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

#ifdef __cplusplus
}
#endif

#endif
