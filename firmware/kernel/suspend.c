/*
 * Suspend and resume threads. `suspended` is independent of the state: a waiting thread continues
 * to wait, and stops when it would become ready (kernel_make_ready()).
 */
#include "internal.h"

KERNEL_OBJECT_SERVICE(suspend, kernel_thread_t *thread)
{
    if (thread->state == KERNEL_STATE_DEAD || thread->suspended) {
        return KERNEL_ERROR_STATE;
    }
    thread->suspended = true;
    if (thread == kernel_this_cpu()->current) {
        thread->call_result = KERNEL_OK;
        return kernel_block(KERNEL_STATE_STOPPED, NULL, KERNEL_FOREVER);
    }
    if (thread->state == KERNEL_STATE_READY) {
        kernel_stop_ready(thread);
    } else if (thread->state == KERNEL_STATE_RUNNING) {
        kernel_stop_running(thread);
    }
    return KERNEL_OK;
}

KERNEL_OBJECT_SERVICE(resume, kernel_thread_t *thread)
{
    if (thread->state == KERNEL_STATE_DEAD || !thread->suspended) {
        return KERNEL_ERROR_STATE;
    }
    thread->suspended = false;
    if (thread->state == KERNEL_STATE_STOPPED) {
        kernel_make_ready(thread);
    }
    return KERNEL_OK;
}
