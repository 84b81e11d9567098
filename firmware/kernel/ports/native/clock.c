/* The virtual clock of the native port; in real time it is never ahead of the wall clock. */
#include "native.h"

#include <errno.h>
#include <time.h>

#include "kernel_board.h"

#define NS_PER_S    1000000000u
#define NS_PER_TICK (NS_PER_S / NATIVE_CLOCK_HZ)

static uint64_t virtual_ticks;
static bool real_time;
static uint64_t real_start_ns;

static uint64_t wall_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
    const struct timespec end = {
        .tv_sec = (time_t)(ns / NS_PER_S),
        .tv_nsec = (long)(ns % NS_PER_S),
    };
    int result = EINTR;
    while (result == EINTR) {
        result = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
    }
    if (result != 0) {
        kernel_panic("clock_nanosleep failed");
    }
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
    return virtual_ticks;
}

void native_pass(uint64_t ticks)
{
    virtual_ticks += ticks;
    if (real_time) {
        uint64_t ns = real_start_ns + virtual_ticks * NS_PER_TICK;
        if (wall_ns() < ns) {
            sleep_until(ns);
        }
    }
}
