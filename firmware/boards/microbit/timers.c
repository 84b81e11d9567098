/* Time on the board: the trace clock, the kernel's tick, the kernel's clock, the sensor. */
#include <stdbool.h>
#include <stddef.h>

#include "board.h"
#include "handlers.h"
#include "idle.h"
#include "kernel.h"
#include "kernel_board.h"
#include "nrf51.h"
#include "tickertape/port.h"

/* TIMER1 and TIMER2 have 16 bits. They count microseconds, or units of 32 us for longer periods. */
#define PRESCALER_1_US  4u
#define PRESCALER_32_US 9u
#define LONGEST_US      65535u

void clock_start(void)
{
    NRF51_TIMER0->bitmode = NRF51_TIMER_BITMODE_32;
    NRF51_TIMER0->prescaler = 0;
    NRF51_TIMER0->start = 1;
}

static void start_timer(nrf51_timer_t *timer, uint32_t period_us)
{
    bool is_long = period_us > LONGEST_US;
    timer->stop = 1;
    timer->clear = 1;
    timer->bitmode = NRF51_TIMER_BITMODE_16;
    timer->prescaler = is_long ? PRESCALER_32_US : PRESCALER_1_US;
    timer->cc[0] = is_long ? (period_us + 16u) / 32u : period_us;
    timer->shorts = NRF51_TIMER_COMPARE0_CLEAR;
    timer->compare[0] = 0;
    timer->intenset = NRF51_TIMER_INT_COMPARE0;
    timer->start = 1;
}

static void tick(void *argument)
{
    (void)argument;
    NRF51_TIMER1->compare[0] = 0;
    kernel_tick();
}

void kernel_board_start_tick(uint32_t hz)
{
    idle_begin();
    (void)kernel_irq_attach(BOARD_TICK_IRQ, KERNEL_IRQ_LEVEL_KERNEL, tick, NULL);
    start_timer(NRF51_TIMER1, 1000000u / hz);
}

void kernel_board_idle(void)
{
    if (!idle_wait()) {
        idle_execute(1);
    }
}

uint32_t kernel_board_clock(void)
{
    return tt_port_ticks();
}

uint32_t kernel_board_clock_hz(void)
{
    return BOARD_CLOCK_HZ;
}

void board_sensor_start(uint32_t period_us)
{
    if (period_us == 0u) {
        NRF51_TIMER2->stop = 1;
        NRF51_TIMER2->compare[0] = 0;
        return;
    }
    start_timer(NRF51_TIMER2, period_us);
}

void board_sensor_acknowledge(void)
{
    NRF51_TIMER2->compare[0] = 0;
}
