/*
 * kernel/lock.h - mutual exclusion inside the kernel.
 *
 * kernel_lock() protects data that device interrupts also access: it masks the interrupts of this
 * CPU and excludes other CPUs. Sections are short and not nested.
 *
 * On one CPU kernel calls, the tick and the context switch never preempt each other. On several
 * CPUs kernel_enter() ensures the same: one CPU at a time is at the kernel's level. Interrupts stay
 * enabled, and device interrupts do not wait for this lock. A CPU whose kernel call ends with a
 * context switch stays at the kernel's level until it has switched: before, the registers of a
 * thread that blocks are not stored yet, and a thread that has ended still uses its stack. Lock
 * order: kernel_enter(), then kernel_lock().
 *
 * Both locks are traced with the address of the call in the kernel if class IRQSTATE is selected.
 */
#ifndef KERNEL_LOCK_INTERNAL_H
#define KERNEL_LOCK_INTERNAL_H

#include "kernel_lock.h"

#include "tickertape/hooks.h"

/* Address in the code; 0 if class IRQSTATE is not built in. */
#define KERNEL_HERE (TT_CLASS_BUILT_IN(TT_CLASS_IRQSTATE) ? kernel_port_here() : 0u)

/* Wait for a lock and take it. Panics if this CPU has taken it. A wait is traced, with `ip` as its
 * place. Interrupts are masked or at the kernel's level. */
void kernel_spin_take(kernel_spin_t *lock, uint32_t ip);

#if KERNEL_CPUS > 1

extern kernel_spin_t kernel_data_lock;
extern kernel_spin_t kernel_level_lock;
extern bool kernel_cpu_was_interrupted; /* this section has interrupted another CPU */

static inline bool kernel_spin_is_mine(const kernel_spin_t *lock)
{
    return __atomic_load_n(&lock->owner, __ATOMIC_RELAXED) == kernel_port_cpu() + 1u;
}

static inline void kernel_spin_give(kernel_spin_t *lock, uint32_t ip)
{
    tt_hook_spin_unlocked(lock, ip);
    __atomic_store_n(&lock->owner, 0u, __ATOMIC_RELEASE);
}

/* Enter the kernel's level, unless this CPU has stayed there. */
static inline void kernel_enter(void)
{
    if (!kernel_spin_is_mine(&kernel_level_lock)) {
        kernel_spin_take(&kernel_level_lock, KERNEL_HERE);
        tt_hook_spin_locked(&kernel_level_lock, KERNEL_HERE);
    }
}

static inline void kernel_leave(void)
{
    kernel_spin_give(&kernel_level_lock, KERNEL_HERE);
    kernel_port_spin(); /* let another CPU run */
}

#else

static inline void kernel_enter(void)
{
}

static inline void kernel_leave(void)
{
}

#endif

static inline kernel_port_key_t kernel_lock(void)
{
    kernel_port_key_t key = kernel_port_lock();
    tt_hook_irq_saved_and_masked(key != 0u, KERNEL_HERE);
#if KERNEL_CPUS > 1
    kernel_spin_take(&kernel_data_lock, KERNEL_HERE);
    tt_hook_spin_locked(&kernel_data_lock, KERNEL_HERE);
#endif
    return key;
}

static inline void kernel_unlock(kernel_port_key_t key)
{
#if KERNEL_CPUS > 1
    bool interrupted = kernel_cpu_was_interrupted;
    kernel_cpu_was_interrupted = false;
    kernel_spin_give(&kernel_data_lock, KERNEL_HERE);
#endif
    tt_hook_irq_restored(key != 0u, KERNEL_HERE);
    kernel_port_unlock(key);
#if KERNEL_CPUS > 1
    if (interrupted) {
        kernel_port_spin(); /* an emulator that runs CPUs in turns continues with the other one */
    }
#endif
}

#endif
