/*
 * sample_queue.h - a queue type of the application. A queue stores every n-th event until it is
 * full, and counts all. At the end it writes the stored events into a file.
 */
#ifndef SHARK_OWN_SAMPLE_QUEUE_H
#define SHARK_OWN_SAMPLE_QUEUE_H

#include <stdint.h>

#define TRC_SAMPLE_QUEUE 5 /* the first number that the tracer does not use */

#define SAMPLE_QUEUE_EVENTS 32u

typedef struct sample_queue_args {
    uint32_t every;       /* keep one event of this number, 1 or more */
    const char *filename; /* NULL: no file */
} sample_queue_args_t;

/* Counts of the events offered to the queue: offered = kept + lost. */
typedef struct sample_queue_counts {
    uint32_t offered;
    uint32_t kept;
} sample_queue_counts_t;

int sample_queue_register(void);

/* Return the counts of the only queue of this type. Any context. */
sample_queue_counts_t sample_queue_counts(void);

#endif
