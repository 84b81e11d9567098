/*
 * Mutexes with priority inheritance (priority.c). A wait is refused if the chain of waiting threads
 * leads back to the caller, so every cycle contains a wait for a plain mutex.
 */
#include "internal.h"

void kernel_mutex_grant(kernel_mutex_t *mutex, kernel_thread_t *thread)
{
    mutex->owner = thread;
    mutex->next_held = thread->held;
    thread->held = mutex;
    tt_hook_mutex_granted(mutex, thread->tid);
}

void kernel_mutex_clear_owner(kernel_mutex_t *mutex)
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
    kernel_thread_t *next_owner = mutex->waiters.first;
    tt_hook_mutex_unlock(mutex, owner->tid);
    kernel_mutex_clear_owner(mutex);
    kernel_priority_update(owner, true);
    if (next_owner != NULL) {
        /* No other waiter has a higher priority than the next owner, so it inherits nothing. */
        kernel_queue_remove(next_owner);
        kernel_mutex_grant(mutex, next_owner);
        kernel_unblock(next_owner, next_owner->call_result);
    }
}

void kernel_mutex_enqueue(kernel_mutex_t *mutex, kernel_thread_t *thread)
{
    kernel_queue_insert(&mutex->waiters, thread);
    thread->wanted = mutex;
    kernel_priority_update(mutex->owner, true);
}

bool kernel_mutex_refuses(const kernel_mutex_t *mutex, const kernel_thread_t *thread)
{
    return mutex->plain ? mutex->owner == thread : kernel_priority_leads_to(mutex->owner, thread);
}

/* Lock a mutex for the running thread. [locked] */
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
    if (kernel_mutex_refuses(mutex, self)) {
        return KERNEL_ERROR_DEADLOCK;
    }
    tt_hook_mutex_denied(mutex, mutex->owner->tid);
    self->call_result = KERNEL_OK; /* returned when it owns the mutex */
    kernel_mutex_enqueue(mutex, self);
    return kernel_block(KERNEL_STATE_MUTEX, mutex, timeout_ticks);
}

KERNEL_OBJECT_SERVICE(mutex_lock, kernel_mutex_t *mutex)
{
    uint32_t timeout_ticks = (uint32_t)args[1];
    return kernel_timeout_valid(timeout_ticks) ? lock(mutex, timeout_ticks) : KERNEL_ERROR_ARGUMENT;
}

KERNEL_OBJECT_SERVICE(mutex_trylock, kernel_mutex_t *mutex)
{
    return lock(mutex, 0);
}

KERNEL_OBJECT_SERVICE(mutex_unlock, kernel_mutex_t *mutex)
{
    if (mutex->owner != kernel_this_cpu()->current) {
        return KERNEL_ERROR_OWNER;
    }
    kernel_mutex_release(mutex);
    return KERNEL_OK;
}
