/*
 * Condition variables. Whoever leaves one goes on only with the mutex: it gets it at once or lines
 * up for it. Lining up is refused where the mutex's owner waits for the one that wants it back;
 * kernel_mutex_lock() could not see that coming, because waiting for a condition is waiting for
 * nobody in particular.
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
    } else if (kernel_priority_leads_to(mutex->owner, thread)) {
        kernel_unblock(thread, KERNEL_ERROR_DEADLOCK);
    } else {
        kernel_timeout_cancel(&thread->wait_timeout);
        thread->call_result = result; /* for when it gets the mutex */
        kernel_wait_on(thread, KERNEL_STATE_MUTEX, mutex);
        kernel_mutex_line_up(mutex, thread);
    }
}

/* What kernel_cond_wait() was asked for. */
typedef struct cond_wish {
    kernel_cond_t *cond;
    kernel_mutex_t *mutex;
    uint32_t timeout_ticks;
} cond_wish_t;

/* Wait as the running thread. [locked] */
static int32_t wait(const cond_wish_t *wish)
{
    kernel_thread_t *self = kernel_this_cpu()->current;
    if (wish->mutex->owner != self) {
        return KERNEL_ERROR_OWNER;
    }
    if (wish->timeout_ticks == 0u) {
        return KERNEL_ERROR_BUSY;
    }
    tt_hook_cond_wait(wish->cond, wish->mutex);
    self->relock = wish->mutex;
    wish->mutex->condition_waiter_count++;
    kernel_mutex_release(wish->mutex);
    kernel_queue_insert(&wish->cond->waiters, self);
    return kernel_block(KERNEL_STATE_CONDITION, wish->cond, wish->timeout_ticks);
}

int kernel_cond_wait(kernel_cond_t *cond, kernel_mutex_t *mutex, uint32_t timeout_ticks)
{
    return kernel_call(TT_KERCALL_SYNC_CONDVAR_WAIT, (kernel_word_t)cond, (kernel_word_t)mutex,
                       timeout_ticks);
}

int32_t kernel_service_cond_wait(const kernel_word_t *args)
{
    const cond_wish_t wish = {
        .cond = (kernel_cond_t *)args[0],
        .mutex = (kernel_mutex_t *)args[1],
        .timeout_ticks = (uint32_t)args[2],
    };
    if (wish.cond == NULL || wish.mutex == NULL || !kernel_timeout_valid(wish.timeout_ticks)) {
        return KERNEL_ERROR_ARGUMENT;
    }
    kernel_port_key_t key = kernel_lock();
    int32_t result = wait(&wish);
    kernel_unlock(key);
    return result;
}

int kernel_cond_signal(kernel_cond_t *cond)
{
    return kernel_call(TT_KERCALL_SYNC_CONDVAR_SIGNAL, (kernel_word_t)cond, 0, 0);
}

int kernel_cond_broadcast(kernel_cond_t *cond)
{
    return kernel_call(TT_KERCALL_SYNC_CONDVAR_SIGNAL, (kernel_word_t)cond, 1, 0);
}

/* Wake the first waiter. False without one. */
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

/* Interrupts do not touch condition variables, so looking at one needs no lock. */
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

int kernel_cond_delete(kernel_cond_t *cond)
{
    return kernel_call(TT_KERCALL_SYNC_DESTROY, (kernel_word_t)cond, 0, KERNEL_KIND_COND);
}
