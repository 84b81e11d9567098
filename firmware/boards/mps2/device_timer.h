/*
 * boards/mps2/device_timer.h - the two periodic timers of a board, which interrupt with
 * BOARD_TICK_IRQ and BOARD_SENSOR_IRQ: CMSDK timers, on AN547 those of the SSE-300 (Arm "SSE-300
 * Technical Reference Manual", "System timer"), which compare with a shared system counter.
 */
#ifndef MPS2_DEVICE_TIMER_H
#define MPS2_DEVICE_TIMER_H

#include <stdint.h>

#include "mps2.h"

#if MPS2_AN547

/* Clock of the system counter and of SysTick. */
#define DEVICE_TIMER_HZ 32000000u

typedef struct device_timer {
    volatile uint32_t now_low;
    volatile uint32_t now_high;
    uint32_t reserved0[6];
    volatile uint32_t next_low; /* 0x20: the interrupt is pending from this count on */
    volatile uint32_t next_high;
    uint32_t reserved1;
    volatile uint32_t ctrl;
    uint32_t reserved2[6];
    volatile uint32_t period; /* 0x48: of the automatic increment, which is off */
} device_timer_t;

#define DEVICE_TIMER0 ((device_timer_t *)0x58000000u)
#define DEVICE_TIMER1 ((device_timer_t *)0x58001000u)

#define SYSTEM_COUNTER_CTRL (*(volatile uint32_t *)0x58100000u)
#define SYSTEM_COUNTER_RUNS (1u << 0)
#define DEVICE_TIMER_ENABLE (1u << 0)

/* Round a count down to a multiple of 4, which is a whole number of nanoseconds at 32 MHz. If QEMU
 * 7.2 counts instructions, it never leaves the callback of a timer whose interrupt is not at a
 * whole nanosecond. The automatic increment cannot be used for the same reason. */
#define DEVICE_TIMER_WHOLE_NS(counts) ((counts) & ~3u)

static inline void device_timer_stop(device_timer_t *timer)
{
    timer->ctrl = 0;
}

/* Clear the interrupt. The next one is due a period after this one was due. */
static inline void device_timer_acknowledge(device_timer_t *timer)
{
    uint32_t low = timer->next_low;
    uint32_t next = low + timer->period;
    timer->next_low = next;
    if (next < low) {
        timer->next_high++;
    }
}

/* Interrupt every `period` cycles of DEVICE_TIMER_HZ, 4 or more, rounded down to a multiple of
 * 4. */
static inline void device_timer_start(device_timer_t *timer, uint32_t period)
{
    SYSTEM_COUNTER_CTRL = SYSTEM_COUNTER_RUNS;
    device_timer_stop(timer);
    uint32_t high = timer->now_high;
    uint32_t low = DEVICE_TIMER_WHOLE_NS(timer->now_low);
    if (timer->now_high != high) { /* the low word wrapped between the two reads */
        high = timer->now_high;
        low = 0;
    }
    timer->period = DEVICE_TIMER_WHOLE_NS(period);
    timer->next_high = high;
    timer->next_low = low;
    device_timer_acknowledge(timer);
    timer->ctrl = DEVICE_TIMER_ENABLE;
}

#else

#define DEVICE_TIMER_HZ MPS2_SYSTEM_HZ

typedef struct device_timer {
    volatile uint32_t ctrl;
    volatile uint32_t value;
    volatile uint32_t reload;
    volatile uint32_t int_clear;
} device_timer_t;

#define DEVICE_TIMER0 ((device_timer_t *)MPS2_PERIPHERALS)
#define DEVICE_TIMER1 ((device_timer_t *)(MPS2_PERIPHERALS + 0x1000u))

#define DEVICE_TIMER_ENABLE    (1u << 0)
#define DEVICE_TIMER_INTERRUPT (1u << 3)

static inline void device_timer_acknowledge(device_timer_t *timer)
{
    timer->int_clear = 1;
}

static inline void device_timer_stop(device_timer_t *timer)
{
    timer->ctrl = 0;
    device_timer_acknowledge(timer);
}

/* Interrupt every `period` cycles of DEVICE_TIMER_HZ, 1 or more. */
static inline void device_timer_start(device_timer_t *timer, uint32_t period)
{
    timer->ctrl = 0;
    timer->reload = period - 1u;
    timer->value = period - 1u;
    device_timer_acknowledge(timer);
    timer->ctrl = DEVICE_TIMER_ENABLE | DEVICE_TIMER_INTERRUPT;
}

#endif

#endif
