/*
 * The kernel's time: the tick, and a list of timeouts, the soonest first. Due ticks are compared by
 * their signed distance, so that the 32-bit count may wrap.
 */
#include "internal.h"

void kernel_timeout_start(kernel_timeout_t *timeout, uint32_t due_tick)
{
    kernel_timeout_t **link = &kernel.timeouts;
    while (*link != NULL && (int32_t)((*link)->due_tick - due_tick) <= 0) {
        link = &(*link)->next;
    }
    timeout->due_tick = due_tick;
    timeout->armed = true;
    timeout->next = *link;
    *link = timeout;
}

void kernel_timeout_cancel(kernel_timeout_t *timeout)
{
    if (!timeout->armed) {
        return;
    }
    kernel_timeout_t **link = &kernel.timeouts;
    while (*link != timeout) {
        link = &(*link)->next;
    }
    *link = timeout->next;
    timeout->armed = false;
}

/* Serve the first timeout if it is due. Returns whether it was. One timeout per masked section;
 * handlers of timers run with interrupts enabled. */
static bool expire_one(void)
{
    kernel_alarm_t alarm = {.handler = NULL};
    kernel_port_key_t key = kernel_lock();
    kernel_timeout_t *timeout = kernel.timeouts;
    bool due = timeout != NULL && (int32_t)(timeout->due_tick - kernel.tick_count) <= 0;
    if (due) {
        kernel.timeouts = timeout->next;
        timeout->armed = false;
        if (timeout->timer != NULL) {
            alarm = kernel_timer_expired(timeout->timer);
        } else {
            timeout->expire(timeout->thread);
        }
    }
    kernel_unlock(key);
    if (alarm.handler != NULL) {
        alarm.handler(alarm.argument);
    }
    return due;
}

static void (*on_tick)(void);

void kernel_on_tick(void (*function)(void))
{
    on_tick = function;
}

void kernel_tick(void)
{
    kernel_enter();
    kernel.tick_count++;
    tt_hook_tick(kernel.tick_count);
    if (on_tick != NULL) {
        on_tick();
    }
    while (expire_one()) {
    }
    kernel_leave();
}

uint32_t kernel_ticks(void)
{
    return kernel.tick_count;
}

int32_t kernel_service_sleep(const kernel_word_t *args)
{
    uint32_t ticks = (uint32_t)args[0];
    if (!kernel_timeout_valid(ticks)) {
        return KERNEL_ERROR_ARGUMENT;
    }
    if (ticks == 0u) {
        return KERNEL_OK;
    }
    kernel_port_key_t key = kernel_lock();
    int32_t result = kernel_block(KERNEL_STATE_SLEEP, NULL, ticks);
    kernel_unlock(key);
    return result;
}
