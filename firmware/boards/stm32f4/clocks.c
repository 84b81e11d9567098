/*
 * Starts the clocks. A crystal of 8 MHz and the PLL make 168 MHz for the processor, 84 MHz for the
 * timers and 42 MHz for USART2.
 *
 * If the crystal or the PLL does not become ready, the internal oscillator supplies 16 MHz to
 * everything. In QEMU it never does, yet SysTick counts at 168 MHz and the timers count at yet
 * another rate. So without a PLL the rate of TIM2 is measured against SysTick.
 */
#include <stdbool.h>

#include "board.h"
#include "handlers.h"
#include "scs.h"
#include "stm32f4.h"

#define PLL_CORE_HZ     168000000u
#define INTERNAL_HZ     16000000u
#define MHZ             1000000u
#define MEASURED_CYCLES 1680000u /* 10 ms at 168 MHz, 105 ms at 16 MHz */
#define SYSTICK_MASK    0xffffffu
#define CSR_CORE_CLOCK  5u /* enabled, without an interrupt */
#define PATIENCE        200000u

/* 8 MHz / 8 * 336 / 2 = 168 MHz; / 7 for devices that need 48 MHz. */
#define PLLCFGR_168_MHZ (8u | (336u << 6) | (0u << 16) | (1u << 22) | (7u << 24))

uint32_t board_clock_hz;
uint32_t timer_hz;
uint32_t core_hz;
uint32_t usart_hz;

static bool wait_for(uint32_t bit)
{
    for (uint32_t i = 0; i < PATIENCE; i++) {
        if ((STM32_RCC_CR & bit) != 0u) {
            return true;
        }
    }
    return false;
}

static bool start_pll(void)
{
    STM32_RCC_CR |= STM32_RCC_CR_HSEON;
    if (!wait_for(STM32_RCC_CR_HSERDY)) {
        return false;
    }
    STM32_RCC_PLLCFGR = PLLCFGR_168_MHZ;
    STM32_RCC_CR |= STM32_RCC_CR_PLLON;
    if (!wait_for(STM32_RCC_CR_PLLRDY)) {
        return false;
    }
    STM32_FLASH_ACR = STM32_FLASH_ACR_168_MHZ;
    STM32_RCC_CFGR = STM32_RCC_CFGR_PPRE1_4 | STM32_RCC_CFGR_PPRE2_2 | STM32_RCC_CFGR_SW_PLL;
    while ((STM32_RCC_CFGR & STM32_RCC_CFGR_SWS) != STM32_RCC_CFGR_SWS_PLL) {
    }
    return true;
}

/* Measure the ticks of TIM2 against the cycles of SysTick, and derive the rates of all clocks. If
 * both rates are about the same, this is a real chip at 16 MHz. */
static void measure_clock(void)
{
    SYST_RVR = SYSTICK_MASK;
    SYST_CVR = 0;
    SYST_CSR = CSR_CORE_CLOCK;
    while (SYST_CVR == 0u) { /* the counter is loaded in the next cycle */
    }
    uint32_t began = SYST_CVR;
    uint32_t begin_ticks = STM32_TIM2->cnt;
    uint32_t cycles;
    do {
        cycles = (began - SYST_CVR) & SYSTICK_MASK;
    } while (cycles < MEASURED_CYCLES);
    uint32_t ticks = STM32_TIM2->cnt - begin_ticks;
    SYST_CSR = 0;
    bool is_one_clock = ticks - cycles + cycles / 64u < cycles / 32u;
    core_hz = is_one_clock ? INTERNAL_HZ : PLL_CORE_HZ;
    uint64_t hz = (uint64_t)ticks * core_hz / cycles;
    timer_hz = (uint32_t)((hz + MHZ / 2u) / MHZ) * MHZ;
    usart_hz = INTERNAL_HZ;
}

static void start_trace_clock(void)
{
    board_clock_hz = timer_hz;
    if (BOARD_CYCLE_CLOCK != 0) {
        STM32_DBGMCU_CR |= STM32_DBGMCU_CR_SLEEP;
        DEMCR |= DEMCR_TRCENA;
        DWT->ctrl |= DWT_CTRL_CYCCNT_ON;
        board_clock_hz = core_hz;
    }
}

void clocks_start(void)
{
    bool is_fast = start_pll();
    STM32_RCC_AHB1ENR |= STM32_RCC_AHB1ENR_GPIOA;
    STM32_RCC_APB1ENR |= STM32_RCC_APB1ENR_TIM2 | STM32_RCC_APB1ENR_TIM5 | STM32_RCC_APB1ENR_USART2;
    STM32_TIM2->arr = UINT32_MAX;
    STM32_TIM2->cr1 = STM32_TIM_CR1_CEN;
    if (is_fast) {
        core_hz = PLL_CORE_HZ;
        timer_hz = PLL_CORE_HZ / 2u;
        usart_hz = PLL_CORE_HZ / 4u;
    } else {
        measure_clock();
    }
    start_trace_clock();
}
