/* Critical sections and spin locks of applications, traced with their call sites. */
#include "internal.h"

/* Address from which the function that uses it was called. */
#define CALL_SITE ((uint32_t)(uintptr_t)__builtin_return_address(0))

kernel_port_key_t kernel_irq_save(void)
{
    kernel_port_key_t state = kernel_port_lock();
    tt_hook_irq_saved_and_masked(state != 0u, CALL_SITE);
    return state;
}

void kernel_irq_restore(kernel_port_key_t state)
{
    tt_hook_irq_restored(state != 0u, CALL_SITE);
    kernel_port_unlock(state);
}

void kernel_irq_disable(void)
{
    (void)kernel_port_lock();
    tt_hook_irq_masked(CALL_SITE);
}

void kernel_irq_enable(void)
{
    tt_hook_irq_unmasked(CALL_SITE);
    kernel_port_unlock(0);
}

bool kernel_irq_disabled(void)
{
    kernel_port_key_t state = kernel_port_lock();
    tt_hook_irq_state_read(state != 0u, CALL_SITE);
    kernel_port_unlock(state);
    return state != 0u;
}

#if KERNEL_CPUS > 1
kernel_spin_t kernel_data_lock;
kernel_spin_t kernel_level_lock;
bool kernel_cpu_was_interrupted;
#endif

void kernel_spin_take(kernel_spin_t *lock, uint32_t ip)
{
    uint32_t mark = kernel_port_cpu() + 1u;
    uint32_t owner = 0;
    bool waits = false;
    while (!__atomic_compare_exchange_n(&lock->owner, &owner, mark, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        if (owner == mark) {
            kernel_panic("a spin lock was taken twice by one CPU");
        }
        if (!waits) {
            waits = true;
            tt_hook_spin_waits(lock, ip);
        }
        owner = 0;
        kernel_port_spin();
    }
}

kernel_port_key_t kernel_spin_lock(kernel_spin_t *lock)
{
    kernel_port_key_t state = kernel_port_lock();
    tt_hook_irq_saved_and_masked(state != 0u, CALL_SITE);
    kernel_spin_take(lock, CALL_SITE);
    tt_hook_spin_locked(lock, CALL_SITE);
    return state;
}

void kernel_spin_unlock(kernel_spin_t *lock, kernel_port_key_t state)
{
    if (__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) != kernel_port_cpu() + 1u) {
        kernel_panic("a spin lock was given back by a CPU that had not taken it");
    }
    tt_hook_spin_unlocked(lock, CALL_SITE);
    __atomic_store_n(&lock->owner, 0u, __ATOMIC_RELEASE);
    tt_hook_irq_restored(state != 0u, CALL_SITE);
    kernel_port_unlock(state);
}
