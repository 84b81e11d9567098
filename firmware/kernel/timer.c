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

int kernel_timer_create(kernel_timer_t *timer, kernel_timer_handler_t handler, void *argument)
{
    return kernel_call(TT_KERCALL_TIMER_CREATE, (kernel_word_t)timer, (kernel_word_t)handler,
                       (kernel_word_t)argument);
}

int32_t kernel_service_timer_create(const kernel_word_t *args)
{
    kernel_timer_t *timer = (kernel_timer_t *)args[0];
    kernel_timer_handler_t handler = (kernel_timer_handler_t)args[1];
    if (timer == NULL || handler == NULL) {
        return KERNEL_ERROR_ARGUMENT;
    }
    kernel_port_key_t key = kernel_lock();
    int32_t result = KERNEL_ERROR_STATE;
    if (timer->handler == NULL) {
        *timer = (kernel_timer_t){
            .timeout = {.timer = timer},
            .handler = handler,
            .argument = (void *)args[2],
        };
        result = KERNEL_OK;
    }
    kernel_unlock(key);
    return result;
}

/* How a timer shall run. */
typedef struct timer_wish {
    uint32_t first_ticks; /* 0: not at all */
    uint32_t period_ticks;
} timer_wish_t;

static int set_time(kernel_timer_t *timer, const timer_wish_t *wish)
{
    return kernel_call(TT_KERCALL_TIMER_SETTIME, (kernel_word_t)timer, wish->first_ticks,
                       wish->period_ticks);
}

int kernel_timer_start(kernel_timer_t *timer, uint32_t first_ticks, uint32_t period_ticks)
{
    const timer_wish_t wish = {.first_ticks = first_ticks, .period_ticks = period_ticks};
    return first_ticks != 0u ? set_time(timer, &wish) : KERNEL_ERROR_ARGUMENT;
}

int kernel_timer_stop(kernel_timer_t *timer)
{
    return set_time(timer, &(const timer_wish_t){.first_ticks = 0});
}

int32_t kernel_service_timer_start(const kernel_word_t *args)
{
    kernel_timer_t *timer = (kernel_timer_t *)args[0];
    uint32_t first_ticks = (uint32_t)args[1];
    uint32_t period_ticks = (uint32_t)args[2];
    if (timer == NULL || first_ticks > KERNEL_TICKS_MAX || period_ticks > KERNEL_TICKS_MAX) {
        return KERNEL_ERROR_ARGUMENT;
    }
    kernel_port_key_t key = kernel_lock();
    int32_t result = KERNEL_ERROR_STATE;
    if (timer->handler != NULL) {
        kernel_timeout_cancel(&timer->timeout);
        timer->period_ticks = period_ticks;
        timer->expired_count = 0;
        if (first_ticks != 0u) {
            kernel_timeout_start(&timer->timeout, kernel.tick_count + first_ticks);
        }
        result = KERNEL_OK;
    }
    kernel_unlock(key);
    return result;
}

int kernel_timer_delete(kernel_timer_t *timer)
{
    return kernel_call(TT_KERCALL_TIMER_DESTROY, (kernel_word_t)timer, 0, 0);
}

int32_t kernel_service_timer_delete(const kernel_word_t *args)
{
    kernel_timer_t *timer = (kernel_timer_t *)args[0];
    if (timer == NULL) {
        return KERNEL_ERROR_ARGUMENT;
    }
    kernel_port_key_t key = kernel_lock();
    int32_t result = KERNEL_ERROR_STATE;
    if (timer->handler != NULL) {
        kernel_timeout_cancel(&timer->timeout);
        timer->handler = NULL;
        result = KERNEL_OK;
    }
    kernel_unlock(key);
    return result;
}

void kernel_timer_post(void *sem)
{
    (void)kernel_sem_post(sem); /* at its limit it has been posted often enough */
}
