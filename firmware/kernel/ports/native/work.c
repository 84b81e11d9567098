/* kernel_work_us(), and the wait of the idle thread. */
#include "kernel_board.h"
#include "native.h"
#include "port.h"

#define TICKS_PER_US (NATIVE_CLOCK_HZ / 1000000u)

void kernel_work_us(uint32_t us)
{
    uint64_t left = (uint64_t)us * TICKS_PER_US;
    while (left > 0u) {
        uint64_t quiet = native_ticks_to_interrupt();
        uint64_t step = left < quiet ? left : quiet;
        native_pass(step);
        left -= step;
        native_checkpoint();
    }
}

void native_wait(void)
{
    uint64_t ticks = native_ticks_to_interrupt();
    if (ticks == UINT64_MAX) {
        kernel_panic("every thread waits and no interrupt will ever come");
    }
    native_pass(ticks);
    native_checkpoint();
}
