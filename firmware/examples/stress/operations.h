/* Operations of the workers of the stress program, and their objects. */
#ifndef STRESS_OPERATIONS_H
#define STRESS_OPERATIONS_H

#include <stdint.h>

#include "kernel.h"

typedef struct worker {
    kernel_thread_t thread;
    uint32_t random;   /* state of its random numbers, never 0 */
    uint32_t reply_id; /* of a message that it has not answered yet, or 0 */
} worker_t;

/* Initial state of all objects; `all` are the workers that may be suspended. Before threads run. */
void stress_prepare(worker_t *all, uint32_t count);

/* One random operation of `self`, which is the calling thread. */
void stress_operate(worker_t *self);

/* The operations of an interrupt. */
void stress_interrupt(void *argument);

#endif
