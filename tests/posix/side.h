/*
 * side.h - functions of the side on which the conformance suite runs, a Linux process or a
 * firmware, and functions of the suite.
 */
#ifndef POSIX_SIDE_H
#define POSIX_SIDE_H

#include <stdbool.h>
#include <stddef.h>

/* Print a line. */
void side_say(const char *line);

/* Return the file of log 0 or 1; always the same for the same number. */
int side_log(int number);

/* Return a descriptor that is not that of a log. */
int side_no_log(void);

/* Let other threads run for `ms` milliseconds. */
void side_sleep(int ms);

/* Run a function in another thread, one at a time; side_end() waits for its end. */
void side_begin(void (*function)(void));
void side_end(void);

/* Read CLOCK_REALTIME or its substitute. */
void side_now(struct timespec *now);

/* Return whether there is a kernel with traced events. side_use_kernel() causes each kind of event:
 * locks a free and a taken mutex, tries one, unlocks, waits for a condition, signals and
 * broadcasts. */
bool side_has_kernel(void);
void side_use_kernel(void);

/* Run all tables of the suite. Returns the number of failed assertions. */
int suite_run(void);

/* Report an assertion about a function of the interface, whose name omits posix_trace_. */
void suite_check(const char *function, const char *what, bool holds, int line);

#define CHECK(function, what, condition) suite_check(function, what, condition, __LINE__)

/* The tables. */
void suite_attributes(void);
void suite_sets(void);
void suite_types(void);
void suite_streams(void);
void suite_events(void);
void suite_full(void);
void suite_filters(void);
void suite_reading(void);
void suite_logs(void);
void suite_kernel(void);

#endif
