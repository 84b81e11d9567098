/* Time on the board: the kernel's tick, the kernel's clock, the sensor. */
#include "board.h"
#include "handlers.h"
#include "idle.h"
#include "kernel.h"
#include "kernel_board.h"
#include "stm32f4.h"
#include "tickertape/port.h"

void kernel_board_start_tick(uint32_t hz)
{
    idle_begin();
    kernel_systick_start(core_hz, hz);
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
    STM32_TIM5->dier = 0;
    STM32_TIM5->cr1 = 0;
    STM32_TIM5->sr = 0;
    if (period_us == 0u) {
        return;
    }
    /* A reset sets the counter to 0. Writing the counter would make QEMU 7.2 add the time of the
     * write to each period. */
    STM32_RCC_APB1RSTR = STM32_RCC_APB1ENR_TIM5;
    STM32_RCC_APB1RSTR = 0;
    STM32_TIM5->arr = period_us * (timer_hz / 1000000u) - 1u;
    STM32_TIM5->dier = STM32_TIM_DIER_UIE;
    STM32_TIM5->cr1 = STM32_TIM_CR1_CEN;
}

void board_sensor_acknowledge(void)
{
    STM32_TIM5->sr = 0;
}
