/*
 * Mutexes with priority inheritance; its law is in priority.c. Waiting is refused where the chain
 * of who waits for whom would come back to the caller, so there are no cycles.
 */
#include "internal.h"

void kernel_mutex_grant(kernel_mutex_t *mutex, kernel_thread_t *thread)
{
    mutex->owner = thread;
    mutex->next_held = thread->held;
    thread->held = mutex;
    tt_hook_mutex_granted(mutex, thread->tid);
}

void kernel_mutex_take_back(kernel_mutex_t *mutex)
{
    kernel_mutex_t **link = &mutex->owner->held;
    while (*link != mutex) {
        link = &(*link)->next_held;
    }
    *link = mutex->next_held;
    mutex->next_held = NULL;
    mutex->owner = NULL;
}

void kernel_mutex_release(kernel_mutex_t *mutex)
{
    kernel_thread_t *owner = mutex->owner;
    kernel_thread_t *heir = mutex->waiters.first;
    tt_hook_mutex_unlock(mutex, owner->tid);
    kernel_mutex_take_back(mutex);
    kernel_priority_update(owner, true);
    if (heir != NULL) {
        /* The other waiters are not more urgent than the heir: it has nothing to inherit. */
        kernel_queue_remove(heir);
        kernel_mutex_grant(mutex, heir);
        kernel_unblock(heir, heir->call_result);
    }
}

void kernel_mutex_line_up(kernel_mutex_t *mutex, kernel_thread_t *thread)
{
    kernel_queue_insert(&mutex->waiters, thread);
    thread->wanted = mutex;
    kernel_priority_update(mutex->owner, true);
}

/* Lock for the running thread. [locked] */
static int32_t lock(kernel_mutex_t *mutex, uint32_t timeout_ticks)
{
    kernel_thread_t *self = kernel_this_cpu()->current;
    if (mutex->owner == NULL) {
        kernel_mutex_grant(mutex, self);
        return KERNEL_OK;
    }
    if (timeout_ticks == 0u) {
        tt_hook_mutex_refused(mutex, mutex->owner->tid);
        return KERNEL_ERROR_BUSY;
    }
    if (kernel_priority_leads_to(mutex->owner, self)) {
        return KERNEL_ERROR_DEADLOCK;
    }
    tt_hook_mutex_denied(mutex, mutex->owner->tid);
    self->call_result = KERNEL_OK; /* for when it gets the mutex */
    kernel_mutex_line_up(mutex, self);
    return kernel_block(KERNEL_STATE_MUTEX, mutex, timeout_ticks);
}

int kernel_mutex_lock(kernel_mutex_t *mutex, uint32_t timeout_ticks)
{
    return kernel_call(TT_KERCALL_SYNC_MUTEX_LOCK, (kernel_word_t)mutex, timeout_ticks, 0);
}

int32_t kernel_service_mutex_lock(const kernel_word_t *args)
{
    kernel_mutex_t *mutex = (kernel_mutex_t *)args[0];
    uint32_t timeout_ticks = (uint32_t)args[1];
    if (mutex == NULL || !kernel_timeout_valid(timeout_ticks)) {
        return KERNEL_ERROR_ARGUMENT;
    }
    kernel_port_key_t key = kernel_lock();
    int32_t result = lock(mutex, timeout_ticks);
    kernel_unlock(key);
    return result;
}

int kernel_mutex_trylock(kernel_mutex_t *mutex)
{
    return kernel_call(TT_KERCALL_SYNC_MUTEX_TRYLOCK, (kernel_word_t)mutex, 0, 0);
}

int32_t kernel_service_mutex_trylock(const kernel_word_t *args)
{
    const kernel_word_t at_once[] = {args[0], 0};
    return kernel_service_mutex_lock(at_once);
}

int kernel_mutex_unlock(kernel_mutex_t *mutex)
{
    return kernel_call(TT_KERCALL_SYNC_MUTEX_UNLOCK, (kernel_word_t)mutex, 0, 0);
}

int32_t kernel_service_mutex_unlock(const kernel_word_t *args)
{
    kernel_mutex_t *mutex = (kernel_mutex_t *)args[0];
    if (mutex == NULL) {
        return KERNEL_ERROR_ARGUMENT;
    }
    kernel_port_key_t key = kernel_lock();
    int32_t result = KERNEL_ERROR_OWNER;
    if (mutex->owner == kernel_this_cpu()->current) {
        kernel_mutex_release(mutex);
        result = KERNEL_OK;
    }
    kernel_unlock(key);
    return result;
}

int kernel_mutex_delete(kernel_mutex_t *mutex)
{
    return kernel_call(TT_KERCALL_SYNC_DESTROY, (kernel_word_t)mutex, 0, KERNEL_KIND_MUTEX);
}
