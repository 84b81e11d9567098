/*
 * poll.h - periodic work of each CPU, done at the end of interrupts and at context switches if a
 * flag is set.
 */
#ifndef TICKERTAPE_ZEPHYR_POLL_H
#define TICKERTAPE_ZEPHYR_POLL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "tickertape/port.h"
#include "tickertape/tickertape.h"

/* interrupts.c: set to have a CPU call tt_clock_poll(). */
extern atomic_bool tt_zephyr_poll_wanted[TT_CONFIG_CPUS];

/* interrupts.c: function that gives the drain's semaphore; NULL until the drain runs. */
extern void (*_Atomic tt_zephyr_wake_drain)(void);

/* Wake the drain from an interrupt of the link, because the host sent something or the link has
 * room again. */
static inline void tt_zephyr_wake_from_link(void)
{
    void (*wake)(void) = atomic_load_explicit(&tt_zephyr_wake_drain, memory_order_acquire);
    if (wake != NULL) {
        wake();
    }
}

/* Have the other CPUs poll. They then close their buffers if the drain has requested it. */
static inline void tt_zephyr_poll_others(void)
{
    tt_port_key_t key = tt_port_lock();
    for (uint32_t cpu = 0; cpu < TT_CONFIG_CPUS; cpu++) {
        if (cpu != tt_port_cpu()) {
            atomic_store_explicit(&tt_zephyr_poll_wanted[cpu], true, memory_order_release);
        }
    }
    tt_port_unlock(key);
}

/* Poll if another CPU requested it. Called at the end of an interrupt or when a thread is switched
 * in, so the CPU does not change meanwhile. Costs one load without a request. */
static inline void tt_zephyr_poll_if_wanted(void)
{
#if TT_CONFIG_CPUS > 1
    tt_port_key_t key = tt_port_lock();
    atomic_bool *wanted = &tt_zephyr_poll_wanted[tt_port_cpu()];
    tt_port_unlock(key);
    if (atomic_load_explicit(wanted, memory_order_relaxed)) {
        atomic_store(wanted, false); /* later requests are new */
        tt_clock_poll();
    }
#endif
}

#endif
