/*
 * Port of the recorder to Cortex-M (ARMv6-M, ARMv7-M, ARMv8-M). ports/template/tickertape/port.h
 * describes the functions of a port.
 */
#ifndef TICKERTAPE_PORT_H
#define TICKERTAPE_PORT_H

#include <stdint.h>

#include "board_config.h" /* TT_PORT_CLOCK_REGISTER, TT_PORT_CPU_REGISTER with several CPUs */
#include "tickertape/config.h"

typedef uint32_t tt_port_key_t;

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

static inline tt_port_key_t tt_port_mask(void)
{
    tt_port_key_t key;
    __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(key)::"memory");
    return key;
}

static inline void tt_port_unmask(tt_port_key_t key)
{
    __asm volatile("msr primask, %0" ::"r"(key) : "memory");
}

#if TT_CONFIG_READERS && TT_CONFIG_CPUS > 1

/* All CPUs record into one ring of a stream, so the lock excludes the other CPUs. Recursive. */
#define TT_PORT_LOCKS_ALL_CPUS 1
#define TT_PORT_NESTED         2u /* in a key: the CPU held the lock already */

extern uint32_t tt_port_owner; /* number of the CPU that holds the lock plus 1; 0: none */

static inline tt_port_key_t tt_port_lock(void)
{
    tt_port_key_t key = tt_port_mask();
    const uint32_t mine = tt_port_cpu() + 1u;
    uint32_t owner = 0;
    if (__atomic_load_n(&tt_port_owner, __ATOMIC_RELAXED) == mine) {
        return key | TT_PORT_NESTED;
    }
    while (!__atomic_compare_exchange_n(&tt_port_owner, &owner, mine, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        owner = 0;
        tt_port_spin();
    }
    return key;
}

static inline void tt_port_unlock(tt_port_key_t key)
{
    if ((key & TT_PORT_NESTED) == 0u) {
        __atomic_store_n(&tt_port_owner, 0u, __ATOMIC_RELEASE);
    }
    tt_port_unmask(key & ~TT_PORT_NESTED);
}

#else

static inline tt_port_key_t tt_port_lock(void)
{
    return tt_port_mask();
}

static inline void tt_port_unlock(tt_port_key_t key)
{
    tt_port_unmask(key);
}

#endif

/* Read the tick counter. For a timer that cannot be read while it counts, TT_PORT_CLOCK_CAPTURE is
 * the register to which 1 is written to copy the counter to TT_PORT_CLOCK_REGISTER. If an interrupt
 * captures the counter between the two steps, the value is a later one. */
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
