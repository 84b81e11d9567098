/*
 * examples/common/tracer.h - the recorder as part of an application of the reference kernel: it
 * is started, a thread of low priority drains it, and it comes to an ordered end.
 */
#ifndef EXAMPLES_TRACER_H
#define EXAMPLES_TRACER_H

#include <stddef.h>

#include "tickertape/tickertape.h"

/* Priority of the drain: the lowest, above idle. An example whose threads leave no time to it
 * defines another one in its example.mk. */
#ifndef TRACER_PRIORITY
#define TRACER_PRIORITY 0u
#endif

TT_C_BEGIN

/*
 * Make the recorder ready and create the drain thread; nothing is recorded until streams are
 * selected and started. Otherwise as tracer_start().
 */
void tracer_open(const char *application, const tt_name_t *names, size_t name_count);

/* Let other threads drain as well: from here on each does so between the two below. Before the
 * kernel runs. */
void tracer_share_drain(void);

/* Begin and end of a turn as the drain. Threads; blocks until it is the caller's turn. */
void tracer_drain_begin(void);
void tracer_drain_end(void);

/*
 * Start recording everything and create the drain thread. `application` is the target's name;
 * `names` are those of `name_count` objects other than threads, which have names themselves. All of
 * it must stay valid. From application_main(), or later from a thread; the state dump records
 * existing threads.
 */
void tracer_start(const char *application, const tt_name_t *names, size_t name_count);

/*
 * Stop recording; when the host has been sent everything, the program ends with exit code 0.
 * From a thread; returns at once.
 */
void tracer_finish(void);

TT_C_END

#endif
