/*
 * kernel_lock.h - masking of interrupts and spin locks, for data shared by interrupts and threads.
 *
 * While interrupts are masked nothing else runs on this CPU, so keep these sections short. Kernel
 * calls must not be made there, because they trap; this includes functions whose context includes
 * interrupts, because they may switch to another thread. Only privileged code can mask interrupts.
 * Every function here may be called from threads, interrupts, and before kernel_start(), and is
 * traced with its call site (class IRQSTATE). These events are frequent, so the examples do not
 * select the class by default.
 *
 * Included by kernel.h.
 */
#ifndef KERNEL_LOCK_H
#define KERNEL_LOCK_H

#include "kernel_types.h"

KERNEL_C_BEGIN

/* Mask interrupts and return the previous state for kernel_irq_restore(). Sections may be
 * nested. */
kernel_port_key_t kernel_irq_save(void);
void kernel_irq_restore(kernel_port_key_t state);

/* Mask and unmask interrupts, whatever the previous state. Sections must not be nested. */
void kernel_irq_disable(void);
void kernel_irq_enable(void);

/* Return true while interrupts are masked. */
bool kernel_irq_disabled(void);

/*
 * A lock for data shared by CPUs and their interrupts. A CPU that waits for it spins, so hold it
 * briefly; the order of waiting CPUs is undefined. A lock initialised with zeros is free.
 */
typedef struct kernel_spin {
    uint32_t owner; /* number of the CPU + 1; 0: free. Private; atomic accesses only */
} kernel_spin_t;

/*
 * Mask interrupts and take the lock. Returns the previous state for kernel_spin_unlock(); release
 * nested locks in reverse order. Panics when this CPU has already taken the lock.
 */
kernel_port_key_t kernel_spin_lock(kernel_spin_t *lock);

/* Release the lock and restore the previous state. Panics when this CPU does not hold the lock. */
void kernel_spin_unlock(kernel_spin_t *lock, kernel_port_key_t state);

KERNEL_C_END

#endif
