/*
 * kernel_lock.h - masking interrupts and spin locks, for data shared by interrupts and threads.
 *
 * Between masking and unmasking nothing else runs on this CPU, so keep it short. Kernel calls trap
 * and must not be made there; functions marked "interrupts" must not be called either, because they
 * may switch to another thread. Only privileged code can mask interrupts. Every function here may
 * be called from threads, interrupts, and before kernel_start(), and is traced with its call site
 * (class IRQSTATE). These events are many, so the examples leave the class out by default.
 *
 * Included by kernel.h.
 */
#ifndef KERNEL_LOCK_H
#define KERNEL_LOCK_H

#include "kernel_types.h"

KERNEL_C_BEGIN

/* Mask interrupts, and return the previous state for kernel_irq_restore(). Calls nest. */
kernel_port_key_t kernel_irq_save(void);
void kernel_irq_restore(kernel_port_key_t state);

/* Mask and unmask interrupts, whatever they were. These do not nest. */
void kernel_irq_disable(void);
void kernel_irq_enable(void);

/* True while interrupts are masked. */
bool kernel_irq_disabled(void);

/*
 * A lock for data shared by CPUs and their interrupts. A CPU that waits for it spins, so hold it
 * briefly; waiters are served in no particular order. All zero is a free lock.
 */
typedef struct kernel_spin {
    uint32_t owner; /* number of the CPU + 1; 0: free. Private; atomic accesses only */
} kernel_spin_t;

/*
 * Mask interrupts and take the lock; the result is for kernel_spin_unlock(), in reverse order where
 * locks nest. Taking one that this CPU has taken already is a panic.
 */
kernel_port_key_t kernel_spin_lock(kernel_spin_t *lock);

/* Release the lock, and restore the previous state. A panic when this CPU does not hold it. */
void kernel_spin_unlock(kernel_spin_t *lock, kernel_port_key_t state);

KERNEL_C_END

#endif
