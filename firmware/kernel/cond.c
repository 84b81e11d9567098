/*
 * Condition variables. A thread whose wait ends continues only as the owner of the mutex: it
 * becomes the owner at once, or waits for the mutex. That wait is refused if the mutex's owner
 * waits for this thread; kernel_mutex_lock() cannot detect this case, because a wait for a
 * condition is not a wait for a certain thread.
 */
#include "internal.h"

void kernel_cond_leave(kernel_thread_t *thread, int32_t result)
{
    kernel_mutex_t *mutex = thread->relock;
    thread->relock = NULL;
    mutex->condition_waiter_count--;
    if (mutex->owner == NULL) {
        kernel_mutex_grant(mutex, thread);
        kernel_unblock(thread, result);
    } else if (kernel_mutex_refuses(mutex, thread)) {
        kernel_unblock(thread, KERNEL_ERROR_DEADLOCK);
    } else {
        kernel_timeout_cancel(&thread->wait_timeout);
        thread->call_result = result; /* returned when it owns the mutex */
        kernel_wait_on(thread, KERNEL_STATE_MUTEX, mutex);
        kernel_mutex_enqueue(mutex, thread);
    }
}

KERNEL_OBJECT_SERVICE(cond_wait, kernel_cond_t *cond)
{
    kernel_mutex_t *mutex = (kernel_mutex_t *)args[1];
    uint32_t timeout_ticks = (uint32_t)args[2];
    kernel_thread_t *self = kernel_this_cpu()->current;
    if (mutex == NULL || !kernel_timeout_valid(timeout_ticks)) {
        return KERNEL_ERROR_ARGUMENT;
    }
    if (mutex->owner != self) {
        return KERNEL_ERROR_OWNER;
    }
    if (timeout_ticks == 0u) {
        return KERNEL_ERROR_BUSY;
    }
    tt_hook_cond_wait(cond, mutex);
    self->relock = mutex;
    mutex->condition_waiter_count++;
    kernel_mutex_release(mutex);
    kernel_queue_insert(&cond->waiters, self);
    return kernel_block(KERNEL_STATE_CONDITION, cond, timeout_ticks);
}

/* Wake the first waiter. Returns false when there is none. */
static bool wake_first(kernel_cond_t *cond)
{
    kernel_port_key_t key = kernel_lock();
    kernel_thread_t *first = cond->waiters.first;
    if (first != NULL) {
        kernel_queue_remove(first);
        kernel_cond_leave(first, KERNEL_OK);
    }
    kernel_unlock(key);
    return first != NULL;
}

static uint32_t count_waiters(const kernel_cond_t *cond)
{
    uint32_t count = 0;
    for (const kernel_thread_t *thread = cond->waiters.first; thread != NULL;
         thread = thread->next) {
        count++;
    }
    return count;
}

/* Interrupts do not access condition variables, so reading one needs no lock. */
int32_t kernel_service_cond_signal(const kernel_word_t *args)
{
    kernel_cond_t *cond = (kernel_cond_t *)args[0];
    bool all = args[1] != 0u;
    if (cond == NULL) {
        return KERNEL_ERROR_ARGUMENT;
    }
    if (all) {
        tt_hook_cond_broadcast(cond, count_waiters(cond));
        while (wake_first(cond)) {
        }
    } else {
        tt_hook_cond_signal(cond, kernel_thread_number(cond->waiters.first));
        (void)wake_first(cond);
    }
    return KERNEL_OK;
}
