/*
 * Periodic threads. Activations and completions have separate counts: every activation has exactly
 * one completion, so instance n in the trace has one response time. An activation that occurs
 * before the previous one is completed is a deadline miss of the previous one.
 */
#include "internal.h"

static void activate(kernel_thread_t *thread)
{
    bool late = thread->activated_count != thread->completed_count;
    thread->activated_count++;
    tt_hook_activation(thread->tid, thread->activated_count);
    if (late) {
        tt_hook_deadline_miss(thread->tid, thread->activated_count - 1u);
    }
}

void kernel_period_expired(kernel_thread_t *thread)
{
    activate(thread);
    kernel_timeout_start(&thread->period_timeout,
                         thread->period_timeout.due_tick + thread->period_ticks);
    if (thread->awaits_period) {
        thread->awaits_period = false;
        kernel_unblock(thread, KERNEL_OK);
    }
}

/* Start the first period; 0 ticks end being periodic. */
KERNEL_OBJECT_SERVICE(set_period, kernel_thread_t *thread)
{
    uint32_t period_ticks = (uint32_t)args[1];
    if (period_ticks > KERNEL_TICKS_MAX) {
        return KERNEL_ERROR_ARGUMENT;
    }
    if (thread->state == KERNEL_STATE_DEAD) {
        return KERNEL_ERROR_STATE;
    }
    kernel_timeout_cancel(&thread->period_timeout);
    thread->period_ticks = period_ticks;
    thread->activated_count = 0;
    thread->completed_count = 0;
    if (period_ticks != 0u) {
        activate(thread);
        kernel_timeout_start(&thread->period_timeout, kernel.tick_count + period_ticks);
    }
    if (thread->awaits_period) {
        thread->awaits_period = false;
        kernel_unblock(thread, period_ticks != 0u ? KERNEL_OK : KERNEL_ERROR_STATE);
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
        self->completed_count++;
        tt_hook_completion(self->tid, self->completed_count);
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
