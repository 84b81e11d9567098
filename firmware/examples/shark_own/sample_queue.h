/*
 * sample_queue.h - a type of queues of the application: it stores every n-th event until it is
 * full, and counts the others. At the end it writes the stored events into a file.
 */
#ifndef SHARK_OWN_SAMPLE_QUEUE_H
#define SHARK_OWN_SAMPLE_QUEUE_H

#include <stdint.h>

#define TRC_SAMPLE_QUEUE 5 /* the first number that no type of the tracer has */

#define SAMPLE_QUEUE_EVENTS 32u

typedef struct sample_queue_args {
    uint32_t every;       /* keep the first of so many, 1 or more */
    const char *filename; /* NULL: none */
} sample_queue_args_t;

/* Counts of the events offered to it: offered = kept + lost. */
typedef struct sample_queue_counts {
    uint32_t offered;
    uint32_t kept;
} sample_queue_counts_t;

int sample_queue_register(void);

/* Counts of the one queue of this type. Any context. */
sample_queue_counts_t sample_queue_counts(void);

#endif
