/* The clock of the native port: virtual, or the wall clock. */
#include "native.h"

#include <time.h>

#define NS_PER_TICK (1000000000u / NATIVE_CLOCK_HZ)

static uint64_t virtual_ticks;
static bool real_time;
static uint64_t real_start_ns;

static uint64_t wall_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void native_use_real_time(void)
{
    real_time = true;
    real_start_ns = wall_ns();
}

bool native_is_real_time(void)
{
    return real_time;
}

uint64_t native_clock(void)
{
    return real_time ? (wall_ns() - real_start_ns) / NS_PER_TICK : virtual_ticks;
}

void native_pass(uint64_t ticks)
{
    virtual_ticks += ticks;
}
