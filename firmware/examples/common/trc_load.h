/*
 * examples/common/trc_load.h - what the examples of the S.Ha.R.K. view trace:
 *
 *     thread      priority  does
 *     hard        20        every 5 ms: waits on a semaphore, computes 800 us, signals it
 *     soft        10        every 20 ms: tries the semaphore, computes 3 ms
 *     supervisor  30        ends the tracer, then the program
 *
 * Both tasks log an event of the user in each activation; an interrupt comes every 7.3 ms.
 */
#ifndef EXAMPLES_TRC_LOAD_H
#define EXAMPLES_TRC_LOAD_H

/* Create the threads and start the interrupt; the view's queues exist. Before kernel_start(). */
void trc_load_create(void);

/* Trace every class into a queue. -1 when the recorder has no room for one of them. */
int trc_load_trace_into(int queue);

#endif
