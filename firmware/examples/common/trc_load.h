/*
 * examples/common/trc_load.h - what the examples of the S.Ha.R.K. view trace:
 *
 *     thread      priority  does
 *     hard        20        every 5 ms: waits on a semaphore, computes 800 us, signals it
 *     soft        10        every 20 ms: tries the semaphore, computes 3 ms
 *     supervisor  30        ends the tracer, then the program
 *
 * Both tasks log an event of the user in each activation; an interrupt comes every 7.3 ms. With
 * option sporadic=1 it activates one more:
 *
 *     sporadic    25        computes 50 us
 */
#ifndef EXAMPLES_TRC_LOAD_H
#define EXAMPLES_TRC_LOAD_H

/*
 * Make recorder and view ready; `name` is the application's. With option files=1 queues write their
 * files as well. From application_main(), then register types and create queues.
 */
void trc_load_begin(const char *name);

/* Option size: how many events a queue keeps, 256 by default. */
int trc_load_size(void);

/* Trace every class of that tracer into a queue, as trc_create_queue() gave it. Returns 0; -1 when
 * there is no such queue or the recorder has no room for a class. */
int trc_load_trace_into(int queue);

/*
 * Activate the queues, create the threads and run the kernel. A `result` below 0, or a queue that
 * cannot be activated, ends the program with a message. `before_end` is called by the supervisor
 * before it ends the tracer; may be NULL.
 */
void trc_load_run(int result, void (*before_end)(void));

#endif
