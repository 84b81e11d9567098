/* Operations of the workers of the stress program, and their objects. */
#ifndef STRESS_OPERATIONS_H
#define STRESS_OPERATIONS_H

#include <stdint.h>

#include "kernel.h"

typedef struct worker {
    kernel_thread_t thread;
    uint32_t random;   /* state of its random numbers, never 0 */
    uint32_t reply_id; /* ID of a message to which it has not replied yet, or 0 */
} worker_t;

/* Initialise all objects; `all` are the workers that may be suspended or ended. Call before threads
 * run. */
void stress_prepare(worker_t *all, uint32_t count);

/* Perform one random operation of `self`, which is the calling thread. */
void stress_operate(worker_t *self);

/* Handler of the sensor interrupt, with its operations. */
void stress_interrupt(void *argument);

#endif
