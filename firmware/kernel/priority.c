/*
 * What priority a thread has.
 *
 * The law: it is the highest of its own, of all threads that wait for a mutex it owns, and of all
 * threads that wait for its reply to a message. It is restored after every change by walking from
 * the changed thread along "waits for - who keeps it waiting" until a priority stays as it is.
 * Plain mutexes pass nothing on. There are no cycles (mutex.c, cond.c), so the walk is as long as
 * the chain.
 */
#include "internal.h"

static uint32_t highest(const kernel_queue_t *queue, uint32_t priority)
{
    const kernel_thread_t *first = queue->first;
    return first != NULL && first->priority > priority ? first->priority : priority;
}

/* What the law demands of `thread`. */
static uint32_t lawful_priority(const kernel_thread_t *thread)
{
    uint32_t priority = highest(&thread->clients, thread->base_priority);
    for (const kernel_mutex_t *mutex = thread->held; mutex != NULL; mutex = mutex->next_held) {
        if (!mutex->plain) {
            priority = highest(&mutex->waiters, priority);
        }
    }
    return priority;
}

static void tell(const kernel_thread_t *thread, uint32_t priority, bool by_mutex)
{
    if (!by_mutex) {
        tt_hook_thread_priority(thread->tid, priority);
    } else if (priority > thread->priority) {
        tt_hook_mutex_inherit(thread->tid, priority);
    } else {
        tt_hook_mutex_restore(thread->tid, priority);
    }
}

kernel_thread_t *kernel_priority_heir(const kernel_thread_t *thread)
{
    return thread->wanted != NULL ? thread->wanted->owner : thread->server;
}

void kernel_priority_update(kernel_thread_t *thread, bool by_mutex)
{
    while (thread != NULL) {
        uint32_t priority = lawful_priority(thread);
        if (priority == thread->priority) {
            return;
        }
        tell(thread, priority, by_mutex);
        kernel_change_priority(thread, priority);
        by_mutex = thread->wanted != NULL;
        thread = kernel_priority_heir(thread);
    }
}

bool kernel_priority_leads_to(const kernel_thread_t *from, const kernel_thread_t *to)
{
    while (from != NULL && from != to) {
        from = kernel_priority_heir(from);
    }
    return from != NULL;
}

int kernel_thread_set_priority(kernel_thread_t *thread, uint32_t priority)
{
    return kernel_call(TT_KERCALL_SCHED_SET, (kernel_word_t)thread, priority, 0);
}

int32_t kernel_service_set_priority(const kernel_word_t *args)
{
    kernel_thread_t *thread = (kernel_thread_t *)args[0];
    uint32_t priority = (uint32_t)args[1];
    if (thread == NULL || priority >= KERNEL_PRIORITY_COUNT) {
        return KERNEL_ERROR_ARGUMENT;
    }
    kernel_port_key_t key = kernel_lock();
    int32_t result = KERNEL_ERROR_STATE;
    if (thread->state != KERNEL_STATE_DEAD) {
        thread->base_priority = (uint8_t)priority;
        kernel_priority_update(thread, false);
        result = KERNEL_OK;
    }
    kernel_unlock(key);
    return result;
}
