#ifndef STUB_WAIT_Q_H
#define STUB_WAIT_Q_H
#include <zephyr/kernel.h>
static inline struct k_thread *z_waitq_head(_wait_q_t *queue)
{
    return queue->first;
}
#define _WAIT_Q_FOR_EACH(queue, thread)                                                            \
    for ((thread) = (queue)->first; (thread) != NULL; (thread) = NULL)
#endif
