/*
 * examples/common/trc_load.h - the load that the examples of the S.Ha.R.K. view trace:
 *
 *     thread      priority  does
 *     hard        20        every 5 ms: waits on a semaphore, computes 800 us, signals it
 *     soft        10        every 20 ms: tries the semaphore, computes 3 ms
 *     supervisor  30        ends the tracer, then the program
 *
 * hard and soft log a user event in each activation. The sensor interrupt occurs every 7.3 ms; with
 * option sporadic=1 it activates one more thread:
 *
 *     sporadic    25        computes 50 us
 */
#ifndef EXAMPLES_TRC_LOAD_H
#define EXAMPLES_TRC_LOAD_H

/*
 * Initialise recorder and view; `name` is the name of the application. With option files=1 queues
 * also write their files. Call from application_main(), then register queue types and create
 * queues.
 */
void trc_load_begin(const char *name);

/* Return option size: the number of events that a queue stores, 256 by default. */
int trc_load_size(void);

/* Trace every class of the S.Ha.R.K. tracer into `queue`, the result of trc_create_queue(). Returns
 * 0, or -1 if there is no such queue or the recorder has no room for a class. */
int trc_load_trace_into(int queue);

/*
 * Activate the queues, create the threads and run the kernel. A `result` below 0, or a queue that
 * cannot be activated, ends the program with a message. The supervisor calls `before_end`, unless
 * that is NULL, before it ends the tracer.
 */
void trc_load_run(int result, void (*before_end)(void));

#endif
