/*
 * posix_alone.h - what the ports of POSIX Trace to kernels share (posix_alone.c).
 */
#ifndef POSIX_ALONE_H
#define POSIX_ALONE_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds from now until then, 0 when it has come, `most_ns` at most. Threads. */
uint32_t posix_ns_until(const struct timespec *until, uint32_t most_ns);

#endif
