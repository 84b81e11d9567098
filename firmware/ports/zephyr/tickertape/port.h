/*
 * Port of the recorder to Zephyr. ports/template/tickertape/port.h describes what a port provides.
 *
 * On Cortex-M tt_port_lock() masks interrupts with PRIMASK. Zephyr's own lock does not mask
 * zero-latency interrupts, and these may record too.
 */
#ifndef TICKERTAPE_PORT_H
#define TICKERTAPE_PORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <zephyr/kernel.h>

#include "tickertape/config.h"

typedef uint32_t tt_port_key_t;

#ifdef CONFIG_CPU_CORTEX_M

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

/* Return the number of the active exception, 0 in a thread. */
static inline uint32_t tt_port_exception(void)
{
    uint32_t exception;
    __asm volatile("mrs %0, ipsr" : "=r"(exception));
    return exception;
}

#else

static inline tt_port_key_t tt_port_lock(void)
{
    return arch_irq_lock();
}

static inline void tt_port_unlock(tt_port_key_t key)
{
    arch_irq_unlock(key);
}

/* Return 1 in an interrupt, 0 in a thread: Zephyr has no portable way to get the number of an
 * interrupt. */
static inline uint32_t tt_port_exception(void)
{
    return k_is_in_isr() ? 1u : 0u;
}

#endif

static inline void tt_port_spin(void)
{
#ifdef CONFIG_CPU_CORTEX_M
    __asm volatile("yield" ::: "memory");
#endif
}

static inline uint32_t tt_port_cpu(void)
{
#if TT_CONFIG_CPUS > 1
    return arch_curr_cpu()->id;
#else
    return 0;
#endif
}

#if defined(CONFIG_TICKERTAPE_CLOCK_CYCLE) && defined(CONFIG_TIMER_HAS_64BIT_CYCLE_COUNTER)
/* The 64-bit time needs no polls. */
#define TT_PORT_HAS_TIME 1

static inline uint64_t tt_port_time(void)
{
    return k_cycle_get_64();
}
#endif

static inline uint32_t tt_port_ticks(void)
{
#ifdef CONFIG_TICKERTAPE_CLOCK_DWT
    return *(const volatile uint32_t *)0xe0001004u; /* DWT_CYCCNT, same on ARMv7-M and ARMv8-M */
#elif defined(CONFIG_TICKERTAPE_CLOCK_REGISTER)
    return *(const volatile uint32_t *)CONFIG_TICKERTAPE_CLOCK_ADDRESS;
#else
    return k_cycle_get_32();
#endif
}

/* interrupts.c: set when the drain has something to send. */
extern atomic_bool tt_zephyr_drain_wanted;

#ifdef CONFIG_TICKERTAPE_WAKE_BY_IRQ
#define TT_ZEPHYR_NVIC_ISPR ((volatile uint32_t *)0xe000e200u)
#endif

/*
 * Hooks run inside the kernel's locks, so no kernel function is called here: the end of the next
 * interrupt on this CPU gives the drain's semaphore. With CONFIG_TICKERTAPE_WAKE_BY_IRQ such an
 * interrupt is made pending; otherwise the drain waits for the next one, or for its period.
 */
static inline void tt_port_notify_drain(void)
{
    atomic_store_explicit(&tt_zephyr_drain_wanted, true, memory_order_relaxed);
#ifdef CONFIG_TICKERTAPE_WAKE_BY_IRQ
    TT_ZEPHYR_NVIC_ISPR[CONFIG_TICKERTAPE_WAKE_IRQ / 32] = 1u << (CONFIG_TICKERTAPE_WAKE_IRQ % 32);
#endif
}

#endif
