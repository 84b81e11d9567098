/*
 * Mutexes with priority inheritance.
 *
 * The law: a thread's priority is the highest of its own and of all threads that wait for a mutex
 * it owns. It is restored after every change by walking from the changed thread along "waits for
 * a mutex - its owner" until a priority stays as it is. Waiting is refused where that walk would
 * come back to the caller, so there are no cycles; the walk is as long as the chain of owners.
 */
#include "internal.h"

/* What the law demands of `thread`. */
static uint32_t lawful_priority(const kernel_thread_t *thread)
{
    uint32_t priority = thread->base_priority;
    for (const kernel_mutex_t *mutex = thread->held; mutex != NULL; mutex = mutex->next_held) {
        if (mutex->waiters.first != NULL && mutex->waiters.first->priority > priority) {
            priority = mutex->waiters.first->priority;
        }
    }
    return priority;
}

static void restore_law(kernel_thread_t *thread)
{
    while (thread != NULL) {
        uint32_t priority = lawful_priority(thread);
        if (priority == thread->priority) {
            return;
        }
        if (priority > thread->priority) {
            tt_hook_mutex_inherit(thread->tid, priority);
        } else {
            tt_hook_mutex_restore(thread->tid, priority);
        }
        kernel_change_priority(thread, priority);
        thread = thread->wanted != NULL ? thread->wanted->owner : NULL;
    }
}

/* True when whoever owns `mutex` waits, over any chain, for `thread`, or is it. */
static bool leads_back(const kernel_mutex_t *mutex, const kernel_thread_t *thread)
{
    while (mutex != NULL && mutex->owner != thread) {
        mutex = mutex->owner->wanted;
    }
    return mutex != NULL;
}

static void grant(kernel_mutex_t *mutex, kernel_thread_t *thread)
{
    mutex->owner = thread;
    mutex->next_held = thread->held;
    thread->held = mutex;
    tt_hook_mutex_granted(mutex, thread->tid);
}

static void take_back(kernel_mutex_t *mutex)
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
    take_back(mutex);
    restore_law(owner);
    if (heir != NULL) {
        /* The other waiters are not more urgent than the heir: it has nothing to inherit. */
        kernel_queue_remove(heir);
        grant(mutex, heir);
        kernel_unblock(heir, KERNEL_OK);
    }
}

void kernel_mutex_abandoned(kernel_mutex_t *mutex)
{
    restore_law(mutex->owner);
}

/* Lock for the running thread. [locked] */
static int32_t lock(kernel_mutex_t *mutex, uint32_t timeout_ticks)
{
    kernel_thread_t *self = kernel_this_cpu()->current;
    if (mutex->owner == NULL) {
        grant(mutex, self);
        return KERNEL_OK;
    }
    if (timeout_ticks == 0u) {
        tt_hook_mutex_refused(mutex, mutex->owner->tid);
        return KERNEL_ERROR_BUSY;
    }
    if (leads_back(mutex, self)) {
        return KERNEL_ERROR_DEADLOCK;
    }
    tt_hook_mutex_denied(mutex, mutex->owner->tid);
    kernel_queue_insert(&mutex->waiters, self);
    self->wanted = mutex;
    restore_law(mutex->owner);
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
    kernel_port_key_t key = kernel_port_lock();
    int32_t result = lock(mutex, timeout_ticks);
    kernel_port_unlock(key);
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
    kernel_port_key_t key = kernel_port_lock();
    int32_t result = KERNEL_ERROR_OWNER;
    if (mutex->owner == kernel_this_cpu()->current) {
        kernel_mutex_release(mutex);
        result = KERNEL_OK;
    }
    kernel_port_unlock(key);
    return result;
}
