/*
 * trc_queue.h - interface between the engine (trc.c), the common part of queues that are streams
 * (trc_queue.c), and the types of queues (trc_file.c, trc_udp.c).
 */
#ifndef TRC_QUEUE_H
#define TRC_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/tickertape.h"
#include "trc_types.h"

/* State of a queue that is a stream. */
typedef struct trc_stream_queue {
    uint64_t dropped_so_far; /* dropped records that TRC_HOOPS has reported */
    void *file;
    void *socket;
    uint32_t number;
    uint32_t period_us;
    uint32_t slice_us;                   /* budget of the server per period */
    uint32_t longest_us;                 /* longest time that a buffer has taken */
    uint32_t activation[TT_CONFIG_CPUS]; /* state of trc_repeats() */
    uint16_t task[TT_CONFIG_CPUS];       /* running task of each CPU, known from events */
    bool served;                         /* a server drains it */
    bool one_a_period;                   /* at most one buffer each period */
} trc_stream_queue_t;

/*
 * Prepare the stream for at least `size` events, 0 for the whole ring, and hold it. create() of a
 * type calls it. Returns 0, or -1 for a size below 0 or larger than the ring, or when the stream
 * runs.
 */
int trc_stream_prepare(trc_stream_queue_t *queue, int size, tt_policy_t policy);

/* activate() and terminate() of all types of queues that are streams. */
int trc_stream_activate(void *data, int number);
int trc_stream_terminate(void *data);

/* Call `take` for each event of the S.Ha.R.K. tracer in a buffer, in order; other records are
 * skipped. */
typedef void (*trc_take_t)(trc_stream_queue_t *queue, const trc_event_t *event);
void trc_stream_translate(trc_stream_queue_t *queue, const tt_sent_buffer_t *buffer,
                          trc_take_t take);

/* Reset and return the state of queue `number`, 0 to TRC_MAXQUEUES - 1. */
void *trc_stream_queue(uint32_t number);

/* Set the folder in which files are written; NULL: ".". */
void trc_set_path(const char *path);

/* Convert a 64-bit time to that of the tracer's records: microseconds, modulo 2^32. */
uint32_t trc_time_us(uint64_t ticks);

#endif
