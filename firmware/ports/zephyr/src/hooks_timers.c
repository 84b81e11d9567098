/*
 * Hooks of timers and of init functions at boot.
 *
 * Some versions of Zephyr have no hook for the expiry of a timer (TT_ZEPHYR_WRAP_TIMEOUTS). There
 * the linker redirects the kernel's calls of z_add_timeout() to this file, and expire() is called
 * when a timer's timeout ends. Other timeouts cost one comparison.
 */
#include <stddef.h>
#include <zephyr/kernel.h>

#include "tickertape/hooks.h"
#include "tickertape/port.h"
#include "tickertape_zephyr.h"

static void record_expiry(const struct k_timer *timer, uint32_t count)
{
    tt_hook_timer(timer, count);
    if (timer->expiry_fn != NULL) {
        tt_hook_handler_enter(tt_port_exception(), (uint32_t)(uintptr_t)timer->expiry_fn);
    }
}

void tt_zephyr_timer_expires(struct k_timer *timer)
{
    record_expiry(timer, timer->status);
}

void tt_zephyr_timer_expired(void)
{
    tt_hook_handler_exit(tt_port_exception());
}

#ifdef TT_ZEPHYR_WRAP_TIMEOUTS

typedef void timeout_function_t(struct _timeout *timeout);

void __real_z_add_timeout(struct _timeout *timeout, timeout_function_t *function, k_timeout_t wait);
void __wrap_z_add_timeout(struct _timeout *timeout, timeout_function_t *function, k_timeout_t wait);

/* After this test and before the kernel's own, an interrupt of higher priority may start the timer
 * again. The expiry is then recorded although the kernel does not call the timer's function. */
static void expire(struct _timeout *timeout)
{
    struct k_timer *timer = CONTAINER_OF(timeout, struct k_timer, timeout);
    bool expires = !sys_dnode_is_linked(&timeout->node);
    bool calls = expires && timer->expiry_fn != NULL;
    if (expires) {
        record_expiry(timer, timer->status + 1u);
    }
    z_timer_expiration_handler(timeout);
    if (calls) { /* the timer may no longer exist */
        tt_zephyr_timer_expired();
    }
}

void __wrap_z_add_timeout(struct _timeout *timeout, timeout_function_t *function, k_timeout_t wait)
{
    __real_z_add_timeout(timeout, function == z_timer_expiration_handler ? expire : function, wait);
}

#endif

/* An init function is recorded as a runnable of the thread that starts the system. The host names
 * it after its entry in the ELF file. */
void tt_zephyr_init_begins(const void *entry)
{
    tt_emit_runnable_begin((uint32_t)(uintptr_t)entry, 0u);
}

void tt_zephyr_init_ends(const void *entry)
{
    tt_emit_runnable_end((uint32_t)(uintptr_t)entry, 0u);
}
