/*
 * core/control_lock.h - one lock for state that any context changes rarely: selection, filters,
 * running streams, names, the drain's receipt. It masks interrupts and excludes the other CPUs. The
 * common path of an emitter never takes it; the path of an event type with a filter does. Not
 * recursive.
 */
#ifndef TICKERTAPE_CORE_CONTROL_LOCK_H
#define TICKERTAPE_CORE_CONTROL_LOCK_H

#include <stdatomic.h>

#include "tickertape/port.h"

#if TT_CONFIG_CPUS > 1
extern atomic_flag tt_control_taken;
#endif

static inline tt_port_key_t tt_control_lock(void)
{
    tt_port_key_t key = tt_port_lock();
#if TT_CONFIG_CPUS > 1
    while (atomic_flag_test_and_set_explicit(&tt_control_taken, memory_order_acquire)) {
        tt_port_spin();
    }
#endif
    return key;
}

static inline void tt_control_unlock(tt_port_key_t key)
{
#if TT_CONFIG_CPUS > 1
    atomic_flag_clear_explicit(&tt_control_taken, memory_order_release);
#endif
    tt_port_unlock(key);
}

#endif
