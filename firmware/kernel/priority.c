/*
 * Priorities of threads.
 *
 * Invariant: the priority of a thread is the maximum of its base priority, the priorities of all
 * threads that wait for a mutex it owns, and those of all threads that wait for its reply. After
 * every change the kernel restores the invariant: it goes from the changed thread to the thread
 * that blocks it, and so on, until a priority does not change. Plain mutexes pass no priority on.
 * Every cycle of waits contains a plain mutex (mutex.c, cond.c), where this loop stops, so it takes
 * at most as many steps as the chain has threads.
 */
#include "internal.h"

static uint32_t highest(const kernel_queue_t *queue, uint32_t priority)
{
    const kernel_thread_t *first = queue->first;
    return first != NULL && first->priority > priority ? first->priority : priority;
}

/* Return the priority of `thread` according to the invariant. */
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

static void report_change(const kernel_thread_t *thread, uint32_t priority, bool by_mutex)
{
    if (!by_mutex) {
        tt_hook_thread_priority(thread->tid, priority);
    } else if (priority > thread->priority) {
        tt_hook_mutex_inherit(thread->tid, priority);
    } else {
        tt_hook_mutex_restore(thread->tid, priority);
    }
}

kernel_thread_t *kernel_priority_blocker(const kernel_thread_t *thread)
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
        report_change(thread, priority, by_mutex);
        kernel_change_priority(thread, priority);
        by_mutex = thread->wanted != NULL;
        thread = kernel_priority_blocker(thread);
    }
}

bool kernel_priority_leads_to(const kernel_thread_t *from, const kernel_thread_t *to)
{
    /* A chain that ends in a cycle without `to` is endless, so the number of steps is limited. */
    for (uint32_t i = 0; from != NULL && i < KERNEL_MAX_THREADS; i++) {
        if (from == to) {
            return true;
        }
        from = kernel_priority_blocker(from);
    }
    return false;
}

KERNEL_OBJECT_SERVICE(set_priority, kernel_thread_t *thread)
{
    uint32_t priority = (uint32_t)args[1];
    if (priority >= KERNEL_PRIORITY_COUNT) {
        return KERNEL_ERROR_ARGUMENT;
    }
    if (thread->state == KERNEL_STATE_DEAD) {
        return KERNEL_ERROR_STATE;
    }
    thread->base_priority = (uint8_t)priority;
    kernel_priority_update(thread, false);
    return KERNEL_OK;
}
