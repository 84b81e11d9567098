/* Delete mutexes, condition variables, semaphores and event flags, also while threads wait for
 * them. */
#include "internal.h"

/* The mutex first loses its owner, so that no priority is inherited through it while its waiters
 * leave. */
static int32_t delete_mutex(kernel_mutex_t *mutex)
{
    kernel_port_key_t key = kernel_lock();
    kernel_thread_t *owner = mutex->owner;
    int32_t result = KERNEL_OK;
    if (owner != NULL && owner != kernel_this_cpu()->current) {
        result = KERNEL_ERROR_OWNER;
    } else if (mutex->condition_waiter_count > 0u) {
        result = KERNEL_ERROR_BUSY;
    } else if (owner != NULL) {
        tt_hook_mutex_unlock(mutex, owner->tid);
        kernel_mutex_clear_owner(mutex);
        kernel_priority_update(owner, true);
    }
    kernel_unlock(key);
    if (result == KERNEL_OK) {
        kernel_wait_end_all(&mutex->waiters, mutex);
    }
    return result;
}

/* An interrupt may post the semaphore between two waiters; a remaining waiter gets that permit. */
static void delete_sem(kernel_sem_t *sem)
{
    kernel_wait_end_all(&sem->waiters, sem);
    kernel_port_key_t key = kernel_lock();
    sem->count = 0;
    kernel_unlock(key);
}

static void delete_flags(kernel_flags_t *flags)
{
    kernel_wait_end_all(&flags->waiters, flags);
    kernel_port_key_t key = kernel_lock();
    flags->bits = 0;
    kernel_unlock(key);
}

int32_t kernel_service_delete(const kernel_word_t *args)
{
    void *object = (void *)args[0];
    if (object == NULL) {
        return KERNEL_ERROR_ARGUMENT;
    }
    switch (args[2]) { /* not cast to kernel_kind_t, which may have 8 bits: 0x100 is invalid */
    case KERNEL_KIND_MUTEX:
        return delete_mutex(object);
    case KERNEL_KIND_COND:
        kernel_wait_end_all(&((kernel_cond_t *)object)->waiters, object);
        return KERNEL_OK;
    case KERNEL_KIND_SEM:
        delete_sem(object);
        return KERNEL_OK;
    case KERNEL_KIND_FLAGS:
        delete_flags(object);
        return KERNEL_OK;
    default:
        return KERNEL_ERROR_ARGUMENT;
    }
}
