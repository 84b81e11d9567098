/* Software timers. */
#include "internal.h"

kernel_alarm_t kernel_timer_expired(kernel_timer_t *timer)
{
    timer->expired_count++;
    if (timer->period_ticks != 0u) {
        kernel_timeout_start(&timer->timeout, timer->timeout.due_tick + timer->period_ticks);
    }
    tt_hook_timer(timer, timer->expired_count);
    return (kernel_alarm_t){.handler = timer->handler, .argument = timer->argument};
}

KERNEL_OBJECT_SERVICE(timer_create, kernel_timer_t *timer)
{
    kernel_timer_handler_t handler = (kernel_timer_handler_t)args[1];
    if (handler == NULL) {
        return KERNEL_ERROR_ARGUMENT;
    }
    if (timer->handler != NULL) {
        return KERNEL_ERROR_STATE;
    }
    *timer = (kernel_timer_t){
        .timeout = {.timer = timer},
        .handler = handler,
        .argument = (void *)args[2],
    };
    return KERNEL_OK;
}

int kernel_timer_start(kernel_timer_t *timer, uint32_t first_ticks, uint32_t period_ticks)
{
    return first_ticks == 0u ? KERNEL_ERROR_ARGUMENT
                             : kernel_call(TT_KERCALL_TIMER_SETTIME, (kernel_word_t)timer,
                                           first_ticks, period_ticks);
}

/* Stop the timer, and start it again unless `first_ticks` is 0. */
KERNEL_OBJECT_SERVICE(timer_start, kernel_timer_t *timer)
{
    uint32_t first_ticks = (uint32_t)args[1];
    uint32_t period_ticks = (uint32_t)args[2];
    if (first_ticks > KERNEL_TICKS_MAX || period_ticks > KERNEL_TICKS_MAX) {
        return KERNEL_ERROR_ARGUMENT;
    }
    if (timer->handler == NULL) {
        return KERNEL_ERROR_STATE;
    }
    kernel_timeout_cancel(&timer->timeout);
    timer->period_ticks = period_ticks;
    timer->expired_count = 0;
    if (first_ticks != 0u) {
        kernel_timeout_start(&timer->timeout, kernel.tick_count + first_ticks);
    }
    return KERNEL_OK;
}

KERNEL_OBJECT_SERVICE(timer_delete, kernel_timer_t *timer)
{
    if (timer->handler == NULL) {
        return KERNEL_ERROR_STATE;
    }
    kernel_timeout_cancel(&timer->timeout);
    timer->handler = NULL;
    return KERNEL_OK;
}

void kernel_timer_post(void *sem)
{
    (void)kernel_sem_post(sem); /* a full semaphore stays full */
}
