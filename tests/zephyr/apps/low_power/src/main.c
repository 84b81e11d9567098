/*
 * Wakes up for a moment every half second and sleeps in a deep power state otherwise. Prints how
 * often the CPU entered each state, and the total time in the deep one.
 */
#include <finish.h>
#include <tickertape/emitters.h>
#include <zephyr/kernel.h>
#include <zephyr/pm/pm.h>
#include <zephyr/sys/printk.h>

#define ROUNDS    20
#define PERIOD_MS 500

static uint32_t deep_count;
static uint32_t light_count;
static uint64_t deep_cycles;

void pm_state_set(enum pm_state state, uint8_t substate)
{
    uint32_t begin = k_cycle_get_32();
    ARG_UNUSED(substate);
    k_cpu_idle();
    if (state == PM_STATE_STANDBY) {
        deep_count++;
        deep_cycles += k_cycle_get_32() - begin;
    } else {
        light_count++;
    }
}

void pm_state_exit_post_ops(enum pm_state state, uint8_t substate)
{
    ARG_UNUSED(state);
    ARG_UNUSED(substate);
    irq_unlock(0);
}

void main(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        k_msleep(PERIOD_MS);
    }
    tt_emit_user_user(1, deep_count, light_count);
    printk("deep %u times, %u ms; light %u times\n", deep_count,
           (uint32_t)(deep_cycles * 1000u / sys_clock_hw_cycles_per_sec()), light_count);
    if (IS_ENABLED(CONFIG_TICKERTAPE_START)) {
        finish();
    }
    leave();
}
