/* Counting semaphores. A permit that is given while threads wait goes straight to one of them. */
#include "internal.h"

/* A permit was handed over while the thread waited: the thread itself tells the trace. */
static void tell_granted(const kernel_thread_t *thread)
{
    const kernel_sem_t *sem = thread->news_object;
    tt_hook_sem_granted(sem, sem->count);
}

/* Take a permit for whoever runs. [locked] */
static int32_t wait(kernel_sem_t *sem, uint32_t timeout_ticks)
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

int kernel_sem_wait(kernel_sem_t *sem, uint32_t timeout_ticks)
{
    return kernel_call(TT_KERCALL_SYNC_SEM_WAIT, (kernel_word_t)sem, timeout_ticks, 0);
}

int32_t kernel_service_sem_wait(const kernel_word_t *args)
{
    kernel_sem_t *sem = (kernel_sem_t *)args[0];
    uint32_t timeout_ticks = (uint32_t)args[1];
    if (sem == NULL || !kernel_timeout_valid(timeout_ticks)) {
        return KERNEL_ERROR_ARGUMENT;
    }
    kernel_port_key_t key = kernel_lock();
    int32_t result = wait(sem, timeout_ticks);
    kernel_unlock(key);
    return result;
}

int kernel_sem_trywait(kernel_sem_t *sem)
{
    return kernel_call(TT_KERCALL_SYNC_SEM_TRYWAIT, (kernel_word_t)sem, 0, 0);
}

int32_t kernel_service_sem_trywait(const kernel_word_t *args)
{
    const kernel_word_t at_once[] = {args[0], 0};
    return kernel_service_sem_wait(at_once);
}

int kernel_sem_post(kernel_sem_t *sem)
{
    return kernel_call(TT_KERCALL_SYNC_SEM_POST, (kernel_word_t)sem, 0, 0);
}

int32_t kernel_service_sem_post(const kernel_word_t *args)
{
    kernel_sem_t *sem = (kernel_sem_t *)args[0];
    if (sem == NULL) {
        return KERNEL_ERROR_ARGUMENT;
    }
    kernel_port_key_t key = kernel_lock();
    kernel_thread_t *waiter = sem->waiters.first;
    int32_t result = KERNEL_OK;
    if (waiter != NULL) {
        tt_hook_sem_signal(sem, 0);
        waiter->news = tell_granted;
        waiter->news_object = sem;
        kernel_unblock(waiter, KERNEL_OK);
    } else if (sem->count < sem->limit) {
        sem->count++;
        tt_hook_sem_signal(sem, sem->count);
    } else {
        result = KERNEL_ERROR_FULL;
    }
    kernel_unlock(key);
    return result;
}

int kernel_sem_delete(kernel_sem_t *sem)
{
    return kernel_call(TT_KERCALL_SYNC_DESTROY, (kernel_word_t)sem, 0, KERNEL_KIND_SEM);
}
