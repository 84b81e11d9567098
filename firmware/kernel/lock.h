/*
 * kernel/lock.h - the kernel's short critical sections: what device interrupts may touch as well.
 *
 * Interrupts of this CPU are masked. The trace sees each section with its place in the kernel when
 * it takes class IRQSTATE.
 */
#ifndef KERNEL_LOCK_INTERNAL_H
#define KERNEL_LOCK_INTERNAL_H

#include "kernel_port.h"

#include "tickertape/hooks.h"

/* The place, where it can be told. */
#define KERNEL_HERE (TT_CLASS_BUILT_IN(TT_CLASS_IRQSTATE) ? kernel_port_here() : 0u)

static inline kernel_port_key_t kernel_lock(void)
{
    kernel_port_key_t key = kernel_port_lock();
    tt_hook_irq_saved_and_masked(key != 0u, KERNEL_HERE);
    return key;
}

static inline void kernel_unlock(kernel_port_key_t key)
{
    tt_hook_irq_restored(key != 0u, KERNEL_HERE);
    kernel_port_unlock(key);
}

#endif
