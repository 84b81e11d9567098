/*
 * kernel_work_us(): a loop of a fixed number of instructions, because a clock would also count
 * while the thread is preempted. The speed of the loop depends on pipeline, wait states and
 * emulator; it is measured with the board's clock before the threads run.
 */
#include "work.h"

#include "kernel_board.h"
#include "port.h"

/* Loops until another CPU may run, for an emulator that runs one CPU at a time: 1000
 * instructions. */
#define LOOPS_AT_ONCE (KERNEL_CPUS > 1 ? 25u : UINT32_MAX)

/* Loops of the measurement: 40 us in the emulator, 1.7 ms at 25 MHz. */
#define MEASURED_LOOPS 1000u

static uint32_t loops_per_ms;

/* Execute `count` times 40 instructions, mostly nop: an emulator executes long blocks much
 * faster. */
static void __attribute__((noinline)) loop(uint32_t count)
{
    __asm volatile("1:\n\t"
                   ".rept 38\n\t"
                   "nop\n\t"
                   ".endr\n\t"
                   "subs %0, #1\n\t"
                   "bne 1b"
                   : "+l"(count)::"cc");
}

void kernel_work_measure(void)
{
    loop(1); /* fills caches; makes an emulator translate the loop */
    uint32_t begin = kernel_board_clock();
    loop(MEASURED_LOOPS);
    uint32_t passed_ticks = kernel_board_clock() - begin;
    uint64_t loops_per_s = (uint64_t)MEASURED_LOOPS * kernel_board_clock_hz();
    loops_per_ms = (uint32_t)(loops_per_s / (1000u * (uint64_t)(passed_ticks + 1u)));
}

void kernel_work_us(uint32_t us)
{
    uint64_t loops = (uint64_t)us * loops_per_ms / 1000u;
    while (loops > 0u) {
        uint32_t part = loops > LOOPS_AT_ONCE ? LOOPS_AT_ONCE : (uint32_t)loops;
        loop(part);
        loops -= part;
        if (KERNEL_CPUS > 1) {
            kernel_port_spin();
        }
    }
}
