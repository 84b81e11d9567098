/*
 * Suspending threads. Being suspended is a mark beside the state: a thread that waits keeps waiting
 * and stops when it would become ready (kernel_make_ready()).
 */
#include "internal.h"

int kernel_thread_suspend(kernel_thread_t *thread)
{
    return kernel_call(TT_KERCALL_THREAD_SUSPEND, (kernel_word_t)thread, 0, 0);
}

/* [locked] */
static int32_t suspend(kernel_thread_t *thread)
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

int32_t kernel_service_suspend(const kernel_word_t *args)
{
    kernel_thread_t *thread = (kernel_thread_t *)args[0];
    if (thread == NULL) {
        return KERNEL_ERROR_ARGUMENT;
    }
    kernel_port_key_t key = kernel_lock();
    int32_t result = suspend(thread);
    kernel_unlock(key);
    return result;
}

int kernel_thread_resume(kernel_thread_t *thread)
{
    return kernel_call(TT_KERCALL_THREAD_RESUME, (kernel_word_t)thread, 0, 0);
}

int32_t kernel_service_resume(const kernel_word_t *args)
{
    kernel_thread_t *thread = (kernel_thread_t *)args[0];
    if (thread == NULL) {
        return KERNEL_ERROR_ARGUMENT;
    }
    kernel_port_key_t key = kernel_lock();
    int32_t result = KERNEL_ERROR_STATE;
    if (thread->state != KERNEL_STATE_DEAD && thread->suspended) {
        thread->suspended = false;
        if (thread->state == KERNEL_STATE_STOPPED) {
            kernel_make_ready(thread);
        }
        result = KERNEL_OK;
    }
    kernel_unlock(key);
    return result;
}
