/* Counting semaphores. A post while threads wait gives the permit directly to one of them. */
#include "internal.h"

/* Trace, in the context of the thread, that it received a permit while it waited. */
static void report_granted(const kernel_thread_t *thread)
{
    const kernel_sem_t *sem = thread->on_resume_object;
    tt_hook_sem_granted(sem, sem->count);
}

/* Take a permit for the running thread. [locked] */
static int32_t take(kernel_sem_t *sem, uint32_t timeout_ticks)
{
    kernel_thread_t *self = kernel_this_cpu()->current;
    uint32_t tid = self != NULL ? self->tid : 0u;
    if (sem->count > 0u) {
        sem->count--;
        tt_hook_sem_granted(sem, sem->count);
        return KERNEL_OK;
    }
    if (timeout_ticks == 0u) {
        tt_hook_sem_refused(sem, tid);
        return KERNEL_ERROR_BUSY;
    }
    tt_hook_sem_blocked(sem, tid);
    kernel_queue_insert(&sem->waiters, self);
    return kernel_block(KERNEL_STATE_SEMAPHORE, sem, timeout_ticks);
}

KERNEL_OBJECT_SERVICE(sem_wait, kernel_sem_t *sem)
{
    uint32_t timeout_ticks = (uint32_t)args[1];
    return kernel_timeout_valid(timeout_ticks) ? take(sem, timeout_ticks) : KERNEL_ERROR_ARGUMENT;
}

KERNEL_OBJECT_SERVICE(sem_trywait, kernel_sem_t *sem)
{
    return take(sem, 0);
}

KERNEL_OBJECT_SERVICE(sem_post, kernel_sem_t *sem)
{
    kernel_thread_t *waiter = sem->waiters.first;
    if (waiter != NULL) {
        tt_hook_sem_signal(sem, 0);
        waiter->on_resume = report_granted;
        waiter->on_resume_object = sem;
        kernel_unblock(waiter, KERNEL_OK);
        return KERNEL_OK;
    }
    if (sem->count >= sem->limit) {
        return KERNEL_ERROR_FULL;
    }
    sem->count++;
    tt_hook_sem_signal(sem, sem->count);
    return KERNEL_OK;
}
