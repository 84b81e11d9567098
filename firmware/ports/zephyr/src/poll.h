/*
 * poll.h - what has to be done on each CPU from time to time, and where: at the end of interrupts
 * and where a CPU switches, if a flag says so.
 */
#ifndef TICKERTAPE_ZEPHYR_POLL_H
#define TICKERTAPE_ZEPHYR_POLL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "tickertape/port.h"
#include "tickertape/tickertape.h"

/* interrupts.c: a CPU is to call tt_clock_poll(). */
extern atomic_bool tt_zephyr_poll_wanted[TT_CONFIG_CPUS];

/* interrupts.c: gives the drain its semaphore; NULL until there is a drain. */
extern void (*_Atomic tt_zephyr_wake_drain)(void);

/* Have the other CPUs poll: they close their buffers when the drain has asked for them. */
static inline void tt_zephyr_poll_others(void)
{
    for (uint32_t cpu = 0; cpu < TT_CONFIG_CPUS; cpu++) {
        if (cpu != tt_port_cpu()) {
            atomic_store_explicit(&tt_zephyr_poll_wanted[cpu], true, memory_order_release);
        }
    }
}

/* Any context. One load where nobody asked. */
static inline void tt_zephyr_poll_if_wanted(void)
{
#if TT_CONFIG_CPUS > 1
    atomic_bool *wanted = &tt_zephyr_poll_wanted[tt_port_cpu()];
    if (atomic_load_explicit(wanted, memory_order_relaxed)) {
        atomic_store(wanted, false); /* a request that comes now is a new one */
        tt_clock_poll();
    }
#endif
}

#endif
