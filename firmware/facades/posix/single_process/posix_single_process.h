/*
 * posix_single_process.h - shared by the ports of POSIX Trace to kernels (posix_single_process.c).
 */
#ifndef POSIX_ALONE_H
#define POSIX_ALONE_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds from now until `until`: 0 when it has passed, at most `most_ns`. Threads. */
uint32_t posix_ns_until(const struct timespec *until, uint32_t most_ns);

#endif
