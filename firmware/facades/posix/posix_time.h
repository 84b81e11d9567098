/* posix_time.h - arithmetic of struct timespec for the facade and its ports. */
#ifndef POSIX_TIME_H
#define POSIX_TIME_H

#include <stdint.h>
#include <time.h>

#define POSIX_NS_PER_S 1000000000u

static inline uint64_t posix_ns_of_time(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * POSIX_NS_PER_S + (uint64_t)time->tv_nsec;
}

static inline struct timespec posix_time_of_ns(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / POSIX_NS_PER_S),
                             .tv_nsec = (long)(ns % POSIX_NS_PER_S)};
}

/* Convert ticks at `hz` to a time; an unknown rate, 0, counts as 1. */
static inline struct timespec posix_time_of_ticks(uint64_t ticks, uint32_t hz)
{
    uint64_t rate = hz == 0u ? 1u : hz;
    return (struct timespec){.tv_sec = (time_t)(ticks / rate),
                             .tv_nsec = (long)(ticks % rate * POSIX_NS_PER_S / rate)};
}

#endif
