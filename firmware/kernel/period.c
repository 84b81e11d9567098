/*
 * Periodic and sporadic threads. Activations and completions are counted separately: every
 * activation has exactly one completion, so instance n in the trace has one response time. An
 * activation that occurs before the previous one is completed is a deadline miss of the previous
 * one.
 */
#include "internal.h"

static bool is_sporadic(const kernel_thread_t *thread)
{
    return thread->period_ticks == KERNEL_SPORADIC;
}

static void activate(kernel_thread_t *thread)
{
    bool late = thread->activated_count != thread->completed_count;
    thread->activated_count++;
    tt_hook_activation(thread->tid, thread->activated_count);
    if (late) {
        tt_hook_deadline_miss(thread->tid, thread->activated_count - 1u);
    }
}

/* Wake the thread if it waits for an activation. */
static void wake(kernel_thread_t *thread, int32_t result)
{
    if (thread->awaits_period) {
        thread->awaits_period = false;
        kernel_unblock(thread, result);
    }
}

void kernel_period_expired(kernel_thread_t *thread)
{
    activate(thread);
    kernel_timeout_start(&thread->period_timeout,
                         thread->period_timeout.due_tick + thread->period_ticks);
    wake(thread, KERNEL_OK);
}

int kernel_thread_activate(kernel_thread_t *thread)
{
    if (thread == NULL) {
        return KERNEL_ERROR_ARGUMENT;
    }
    int result = KERNEL_ERROR_STATE;
    kernel_port_key_t key = kernel_lock();
    if (!kernel_port_in_thread() && thread->state != KERNEL_STATE_DEAD && is_sporadic(thread)) {
        tt_hook_interrupt_activation(thread->tid, thread->activated_count + 1u);
        activate(thread);
        wake(thread, KERNEL_OK);
        result = KERNEL_OK;
    }
    kernel_unlock(key);
    return result;
}

/* Start the first period; 0 ticks end activations. */
KERNEL_OBJECT_SERVICE(set_period, kernel_thread_t *thread)
{
    uint32_t period_ticks = (uint32_t)args[1];
    if (period_ticks > KERNEL_TICKS_MAX && period_ticks != KERNEL_SPORADIC) {
        return KERNEL_ERROR_ARGUMENT;
    }
    if (thread->state == KERNEL_STATE_DEAD) {
        return KERNEL_ERROR_STATE;
    }
    kernel_timeout_cancel(&thread->period_timeout);
    if (period_ticks == 0u && thread->period_ticks != 0u) {
        tt_hook_activations_end(thread->tid);
    }
    thread->period_ticks = period_ticks;
    thread->activated_count = 0;
    thread->completed_count = 0;
    if (period_ticks != 0u && !is_sporadic(thread)) {
        activate(thread);
        kernel_timeout_start(&thread->period_timeout, kernel.tick_count + period_ticks);
    }
    if (!is_sporadic(thread)) { /* a sporadic thread continues to wait */
        wake(thread, period_ticks != 0u ? KERNEL_OK : KERNEL_ERROR_STATE);
    }
    return KERNEL_OK;
}

int32_t kernel_service_wait_period(const kernel_word_t *args)
{
    (void)args;
    kernel_port_key_t key = kernel_lock();
    kernel_thread_t *self = kernel_this_cpu()->current;
    int32_t result = KERNEL_ERROR_STATE;
    if (self->period_ticks != 0u) {
        if (self->completed_count != self->activated_count) {
            self->completed_count++;
            tt_hook_completion(self->tid, self->completed_count);
        } /* else: a sporadic thread before its first activation */
        uint32_t due = self->activated_count - self->completed_count;
        if (due == 0u) {
            self->awaits_period = true;
            result = kernel_block(KERNEL_STATE_SLEEP, NULL, KERNEL_FOREVER);
        } else {
            result = (int32_t)(due - 1u);
        }
    }
    kernel_unlock(key);
    return result;
}
