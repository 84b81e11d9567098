/*
 * kernel_lock.h - masking interrupts and spin locks, for what interrupts and threads share.
 *
 * Between masking and unmasking nothing else runs on this CPU, so keep it short. Kernel calls trap
 * and must not be made there; functions that say "interrupts" must not be called either, because
 * they may want another thread to run. Only privileged code can mask interrupts. Every function
 * here may be called from threads, interrupts, and before kernel_start(), and tells the trace who
 * called it (class IRQSTATE); a trace of an application that does this often is large, so tracers
 * leave the class out unless somebody asks for it.
 *
 * Included by kernel.h.
 */
#ifndef KERNEL_LOCK_H
#define KERNEL_LOCK_H

#include <stdatomic.h>

#include "kernel_types.h"

/* Mask interrupts, and give back the state before for kernel_irq_restore(). Calls nest. */
kernel_port_key_t kernel_irq_save(void);
void kernel_irq_restore(kernel_port_key_t state);

/* Mask and unmask interrupts, whatever they were. These do not nest. */
void kernel_irq_disable(void);
void kernel_irq_enable(void);

/* True while interrupts are masked. */
bool kernel_irq_disabled(void);

/*
 * A lock for what the CPUs and their interrupts share. Who waits for it does nothing else, so it
 * has to be given back soon; it is not given to anybody in particular. All zero is a free one.
 */
typedef struct kernel_spin {
    _Atomic uint32_t owner; /* number of the CPU + 1; 0: free */
} kernel_spin_t;

/*
 * Mask interrupts and take the lock; the result is for kernel_spin_unlock(), in reverse order where
 * locks nest. Taking one that this CPU has taken already is a panic.
 */
kernel_port_key_t kernel_spin_lock(kernel_spin_t *lock);

/* Give the lock back, and restore what was before. A panic when this CPU has not taken it. */
void kernel_spin_unlock(kernel_spin_t *lock, kernel_port_key_t state);

#endif
