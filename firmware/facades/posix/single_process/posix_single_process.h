/*
 * posix_single_process.h - shared by the ports of POSIX Trace to kernels (posix_single_process.c).
 */
#ifndef POSIX_ALONE_H
#define POSIX_ALONE_H

#include <stdint.h>
#include <time.h>

/* Return the nanoseconds from now to `until`, 0 to `most_ns`; 0 when that time has passed.
 * Threads. */
uint32_t posix_ns_until(const struct timespec *until, uint32_t most_ns);

#endif
