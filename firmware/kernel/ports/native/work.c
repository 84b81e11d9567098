/* Computing, and waiting for something to do. */
#include <errno.h>
#include <time.h>

#include "kernel_board.h"
#include "native.h"
#include "port.h"

#define TICKS_PER_US (NATIVE_CLOCK_HZ / 1000000u)
#define NS_PER_TICK  (1000000000u / NATIVE_CLOCK_HZ)

/* The host may take the processor away at any time: the target computes on meanwhile, as its clock
 * goes on. Counting the processor time of this process instead would starve the thread of the
 * lowest priority, the drain, on a busy host. */
static void work_real_time(uint32_t us)
{
    const kernel_port_context_t *context = &kernel_thread_self()->context;
    uint64_t end = native_clock() - context->away_ticks + (uint64_t)us * TICKS_PER_US;
    while (native_clock() - context->away_ticks < end) {
        native_checkpoint();
    }
}

void kernel_work_us(uint32_t us)
{
    if (native_is_real_time()) {
        work_real_time(us);
        return;
    }
    uint64_t left = (uint64_t)us * TICKS_PER_US;
    while (left > 0u) {
        uint64_t quiet = native_ticks_to_interrupt();
        uint64_t step = left < quiet ? left : quiet;
        native_pass(step);
        left -= step;
        native_checkpoint();
    }
}

static void sleep_ticks(uint64_t ticks)
{
    uint64_t ns = ticks * NS_PER_TICK;
    const struct timespec span = {
        .tv_sec = (time_t)(ns / 1000000000u),
        .tv_nsec = (long)(ns % 1000000000u),
    };
    if (nanosleep(&span, NULL) != 0 && errno != EINTR) {
        kernel_panic("nanosleep failed");
    }
}

void native_wait(void)
{
    uint64_t ticks = native_ticks_to_interrupt();
    if (ticks == UINT64_MAX) {
        kernel_panic("every thread waits and no interrupt will ever come");
    }
    if (native_is_real_time()) {
        sleep_ticks(ticks);
    } else {
        native_pass(ticks);
    }
    native_checkpoint();
}
