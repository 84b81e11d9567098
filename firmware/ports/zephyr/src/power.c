/*
 * System power states. Zephyr also calls its hooks when the policy leaves the system active, and
 * after the state was reset. So the callbacks of state changes record the events, and the hook only
 * stores the number of ticks for them.
 */
#include <zephyr/init.h>
#include <zephyr/kernel.h>
#include <zephyr/pm/pm.h>

#include "sys_init.h"
#include "tickertape/emitters.h"
#include "tickertape/port.h"
#include "tickertape_zephyr.h"

/* Ticks until the next timeout, stored by the idle thread of each CPU. */
static uint32_t idle_ticks[TT_CONFIG_CPUS];

void tt_zephyr_system_suspend(uint32_t ticks)
{
    tt_port_key_t key = tt_port_lock();
    idle_ticks[tt_port_cpu()] = ticks;
    tt_port_unlock(key);
}

static void enter(enum pm_state state)
{
    (void)state;
    tt_port_key_t key = tt_port_lock();
    uint32_t ticks = idle_ticks[tt_port_cpu()];
    tt_port_unlock(key);
    tt_emit_system_suspend(ticks, 0u);
}

/* May be called in the interrupt that ends the state. */
static void leave(enum pm_state state)
{
    tt_emit_system_resume((uint32_t)state, 0u);
}

static int observe(void)
{
    static struct pm_notifier notifier = {.state_entry = enter, .state_exit = leave};
    pm_notifier_register(&notifier);
    return 0;
}

TT_ZEPHYR_SYS_INIT(observe, POST_KERNEL);
