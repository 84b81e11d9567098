/* Waits that end without the object: after the time limit, or because the object is deleted. */
#include "internal.h"

/* Remove a thread from its queue, and update the thread that blocked it, which may have inherited
 * its priority. [locked] */
static void leave_queue(kernel_thread_t *thread)
{
    kernel_thread_t *blocker = kernel_priority_blocker(thread);
    bool by_mutex = thread->wanted != NULL;
    kernel_queue_remove(thread);
    thread->wanted = NULL;
    thread->server = NULL;
    if (blocker != NULL) {
        kernel_priority_update(blocker, by_mutex);
    }
}

static void give_up(kernel_thread_t *thread, int32_t result)
{
    leave_queue(thread);
    if (thread->relock != NULL) {
        kernel_cond_leave(thread, result);
    } else {
        kernel_unblock(thread, result);
    }
}

void kernel_wait_abandon(kernel_thread_t *thread)
{
    if (thread->queue != NULL) {
        leave_queue(thread);
    }
    if (thread->relock != NULL) {
        thread->relock->condition_waiter_count--;
    }
    kernel_timeout_cancel(&thread->wait_timeout);
}

void kernel_wait_expired(kernel_thread_t *thread)
{
    if (thread->state == KERNEL_STATE_SLEEP) {
        kernel_unblock(thread, KERNEL_OK);
        return;
    }
    tt_hook_wait_timeout(thread->wait_object, thread->tid);
    give_up(thread, KERNEL_ERROR_TIMEOUT);
}

void kernel_wait_end_all(kernel_queue_t *queue, const void *object)
{
    bool more = true;
    while (more) {
        kernel_port_key_t key = kernel_lock();
        kernel_thread_t *thread = queue->first;
        more = thread != NULL;
        if (more) {
            tt_hook_wait_deleted(object, thread->tid);
            give_up(thread, KERNEL_ERROR_DELETED);
        }
        kernel_unlock(key);
    }
}
