/*
 * tickertape_user.h - system call by which threads in user mode record events of class USER.
 *
 * The record's header contains the domain: 1 to 63 for the memory domains of threads
 * in user mode, in order of first use; 0 for a thread in supervisor mode. Nothing else
 * of the recorder can be reached from user mode.
 */
#ifndef TICKERTAPE_USER_H
#define TICKERTAPE_USER_H

#include <stdint.h>
#include <zephyr/kernel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Record event `event` of class USER, 0 to 1023, with one word of data. Threads. */
__syscall void tape_user_event(uint32_t event, uint32_t data);

#ifdef __cplusplus
}
#endif

#if __has_include(<zephyr/syscalls/tickertape_user.h>)
#include <zephyr/syscalls/tickertape_user.h>
#else
#include <syscalls/tickertape_user.h>
#endif

#endif
