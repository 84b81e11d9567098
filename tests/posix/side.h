/*
 * side.h - what the conformance suite needs of the side that it runs on, beside <trace.h>: a Linux
 * process or a firmware. And its output.
 */
#ifndef POSIX_SIDE_H
#define POSIX_SIDE_H

#include <stdbool.h>
#include <stddef.h>

/* Write a line. */
void side_say(const char *line);

/* A file for a log: number 0 or 1, always the same for the same number. */
int side_log(int number);

/* Something that is open for reading, and nothing for a log. */
int side_no_log(void);

/* Let other threads run for so many milliseconds. */
void side_sleep(int ms);

/* Run a function in a thread of its own, one at a time; wait for its end. */
void side_begin(void (*function)(void));
void side_end(void);

/* CLOCK_REALTIME, or what stands for it. */
void side_now(struct timespec *now);

/* Whether there is a kernel whose events can be traced, and then have it do something of each kind:
 * lock a mutex that is free and one that is not, try one, unlock, wait for a condition, signal and
 * broadcast. */
bool side_has_kernel(void);
void side_use_kernel(void);

/* The suite: every case of every table. Returns how many assertions failed. */
int suite_run(void);

/* An assertion about a function of the interface, by its name without posix_trace_. */
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
