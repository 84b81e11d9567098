/*
 * Port of the recorder to Cortex-M (ARMv6-M, ARMv7-M, ARMv8-M). ports/template/tickertape/port.h
 * describes the duties of a port.
 */
#ifndef TICKERTAPE_PORT_H
#define TICKERTAPE_PORT_H

#include <stdint.h>

#include "board_config.h" /* TT_PORT_CLOCK_REGISTER, TT_PORT_CPU_REGISTER with several CPUs */
#include "tickertape/config.h"

typedef uint32_t tt_port_key_t;

static inline tt_port_key_t tt_port_lock(void)
{
    tt_port_key_t key;
    __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(key)::"memory");
    return key;
}

static inline void tt_port_unlock(tt_port_key_t key)
{
    __asm volatile("msr primask, %0" ::"r"(key) : "memory");
}

static inline void tt_port_spin(void)
{
    __asm volatile("yield" ::: "memory");
}

static inline uint32_t tt_port_cpu(void)
{
#if TT_CONFIG_CPUS > 1
    return *(const volatile uint32_t *)TT_PORT_CPU_REGISTER;
#else
    return 0;
#endif
}

/* TT_PORT_CLOCK_CAPTURE: for timers that cannot be read while they count, the register to which 1
 * is written so that the counter is in TT_PORT_CLOCK_REGISTER. An interrupt between the two steps
 * that does the same makes the value a later one. */
static inline uint32_t tt_port_ticks(void)
{
#ifdef TT_PORT_CLOCK_CAPTURE
    *(volatile uint32_t *)TT_PORT_CLOCK_CAPTURE = 1;
#endif
    return *(const volatile uint32_t *)TT_PORT_CLOCK_REGISTER;
}

static inline uint32_t tt_port_exception(void)
{
    uint32_t exception;
    __asm volatile("mrs %0, ipsr" : "=r"(exception));
    return exception;
}

void tt_port_notify_drain(void);

#endif
