/*
 * examples/common/tracer.h - the recorder in an application of the reference kernel: functions that
 * start it, create a thread of low priority as its drain, and end the program when all is sent.
 */
#ifndef EXAMPLES_TRACER_H
#define EXAMPLES_TRACER_H

#include <stddef.h>

#include "tickertape/tickertape.h"

/* Priority of the drain: the lowest, above idle. An example whose threads leave no time for the
 * drain defines a higher one in its example.mk. */
#ifndef TRACER_PRIORITY
#define TRACER_PRIORITY 0u
#endif

TT_C_BEGIN

/*
 * Initialise the recorder and create the drain thread. Nothing is recorded until the application
 * selects events and starts streams. Parameters and contexts are those of tracer_start().
 */
void tracer_open(const char *application, const tt_name_t *names, size_t name_count);

/* Let other threads drain too, between tracer_drain_begin() and tracer_drain_end(). Call before the
 * kernel runs. */
void tracer_share_drain(void);

/* Begin and end a turn as the drain. Threads. tracer_drain_begin() blocks until it is the caller's
 * turn. */
void tracer_drain_begin(void);
void tracer_drain_end(void);

/*
 * Start recording all events and create the drain thread. `application` is the target's name;
 * `names` describes `name_count` objects other than threads and domains, which have their own
 * names. All of them must stay valid. Call from application_main(), or later from a thread; the
 * state dump records existing threads.
 */
void tracer_start(const char *application, const tt_name_t *names, size_t name_count);

/*
 * Stop recording. The program ends with exit code 0 when all records are sent. Call from a thread;
 * returns at once.
 */
void tracer_finish(void);

TT_C_END

#endif
