/*
 * Queues of threads, doubly linked through the threads, so that a thread can be removed from the
 * middle (time limit, change of priority) in constant time. A thread is in at most one queue.
 */
#include "internal.h"

/* Insert `thread` before `next`, or as the last one if `next` is NULL. */
static void link_before(kernel_queue_t *queue, kernel_thread_t *thread, kernel_thread_t *next)
{
    kernel_thread_t *previous = next != NULL ? next->previous : queue->last;
    thread->queue = queue;
    thread->next = next;
    thread->previous = previous;
    if (previous != NULL) {
        previous->next = thread;
    } else {
        queue->first = thread;
    }
    if (next != NULL) {
        next->previous = thread;
    } else {
        queue->last = thread;
    }
}

void kernel_queue_push_back(kernel_queue_t *queue, kernel_thread_t *thread)
{
    link_before(queue, thread, NULL);
}

void kernel_queue_push_front(kernel_queue_t *queue, kernel_thread_t *thread)
{
    link_before(queue, thread, queue->first);
}

void kernel_queue_insert(kernel_queue_t *queue, kernel_thread_t *thread)
{
    kernel_thread_t *next = queue->first;
    while (next != NULL && next->priority >= thread->priority) {
        next = next->next;
    }
    link_before(queue, thread, next);
}

void kernel_queue_remove(kernel_thread_t *thread)
{
    kernel_queue_t *queue = thread->queue;
    if (thread->previous != NULL) {
        thread->previous->next = thread->next;
    } else {
        queue->first = thread->next;
    }
    if (thread->next != NULL) {
        thread->next->previous = thread->previous;
    } else {
        queue->last = thread->previous;
    }
    thread->queue = NULL;
    thread->next = NULL;
    thread->previous = NULL;
}
