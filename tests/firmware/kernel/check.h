/*
 * Tests of the reference kernel, written as an application. They run on every board; the console
 * lists failures, and the exit code counts them.
 */
#ifndef KERNEL_TEST_CHECK_H
#define KERNEL_TEST_CHECK_H

#include <stdint.h>

/* Priority of the thread that runs the tests; threads of the tests are less urgent. */
#define TESTER_PRIORITY 31u

/* Begin a test; later failures are printed under this name. */
void check_begin(const char *name);

void check_equal(const char *what, int64_t actual, int64_t expected);
void check_text(const char *what, const char *actual, const char *expected);

/* Return the number of failed checks. */
uint32_t check_failures(void);

/* The suites. Each runs in the tester thread and ends all its threads. */
void suite_api(void);
void suite_order(void);
void suite_mutex(void);
void suite_sem(void);
void suite_cond(void);
void suite_flags(void);
void suite_message(void);
void suite_thread(void);
void suite_time(void);
void suite_trace(void);
void suite_interrupt(void);
void suite_lock(void);
void suite_domain(void);

/* With several CPUs only this suite runs, because the others expect the order of one CPU. */
void suite_cpus(void);

#endif
