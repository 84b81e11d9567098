/*
 * Time on the board: the kernel's tick, the kernel's clock, the sensor.
 *
 * The first device timer makes the tick, because in QEMU SysTick falls behind under load unless
 * instructions are counted. BOARD_TICK_SYSTICK uses SysTick, as on other boards.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "board.h"
#include "device_timer.h"
#include "idle.h"
#include "kernel.h"
#include "kernel_board.h"
#include "scs.h"
#include "tickertape/port.h"

#define CYCLES_PER_US (DEVICE_TIMER_HZ / 1000000u)

#ifndef BOARD_TICK_SYSTICK
#define BOARD_TICK_SYSTICK 0
#endif

#if BOARD_TICK_SYSTICK

void kernel_board_start_tick(uint32_t hz)
{
    idle_begin();
    kernel_systick_start(DEVICE_TIMER_HZ, hz);
}

#else

static void tick(void *argument)
{
    (void)argument;
    device_timer_acknowledge(DEVICE_TIMER0);
    kernel_tick();
}

void kernel_board_start_tick(uint32_t hz)
{
    idle_begin();
    (void)kernel_irq_attach(BOARD_TICK_IRQ, KERNEL_IRQ_LEVEL_KERNEL, tick, NULL);
    device_timer_start(DEVICE_TIMER0, DEVICE_TIMER_HZ / hz);
}

#endif

#if KERNEL_CPUS > 1

/*
 * Wait for an interrupt if no other CPU waits. Only one CPU may wait at a time, because in the
 * emulator two executing CPUs get half of the instructions each.
 */
static void wait_if_others_execute(void)
{
    static atomic_uint waiting; /* number of the CPU + 1 */
    unsigned int no_cpu = 0;
    kernel_port_key_t key = kernel_port_lock();
    if (atomic_compare_exchange_strong(&waiting, &no_cpu, board_cpu() + 1u)) {
        __asm volatile("dsb\n\twfi" ::: "memory"); /* ends with an interrupt also while masked */
        atomic_store(&waiting, 0);
    }
    kernel_port_unlock(key);
}

#else

static void wait_if_others_execute(void)
{
}

#endif

/* Blocks of empty instructions before another CPU gets its turn. Each turn costs the emulator as
 * much as several blocks. */
#define IDLE_BLOCKS (KERNEL_CPUS > 1 ? 20u : 1u)

/* With several CPUs one of them waits at a time. A single CPU waits with option idle_wfi
 * (idle.h). */
void kernel_board_idle(void)
{
    if (KERNEL_CPUS == 1 && idle_wait()) {
        return;
    }
    wait_if_others_execute();
    idle_execute(IDLE_BLOCKS);
    if (KERNEL_CPUS > 1) {
        board_yield();
    }
}

uint32_t kernel_board_clock(void)
{
    return *(const volatile uint32_t *)TT_PORT_CLOCK_REGISTER;
}

uint32_t kernel_board_clock_hz(void)
{
    return BOARD_CLOCK_HZ;
}

void board_sensor_start(uint32_t period_us)
{
    if (period_us == 0u) {
        device_timer_stop(DEVICE_TIMER1);
        return;
    }
    device_timer_start(DEVICE_TIMER1, period_us * CYCLES_PER_US);
}

void board_sensor_acknowledge(void)
{
    device_timer_acknowledge(DEVICE_TIMER1);
}
