/*
 * Tests of the reference kernel as an application of it. They run on every board; failures are
 * printed on the console and counted in the exit code.
 */
#ifndef KERNEL_TEST_CHECK_H
#define KERNEL_TEST_CHECK_H

#include <stdint.h>

/* Urgency of the thread that runs the tests; what they start is less urgent. */
#define TESTER_PRIORITY 31u

/* Begin a test; later failures are printed under this name. */
void check_begin(const char *name);

void check_equal(const char *what, int64_t actual, int64_t expected);
void check_text(const char *what, const char *actual, const char *expected);

/* How many checks failed so far. */
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

/* With several CPUs this one runs alone: what the others expect is the order of one CPU. */
void suite_cpus(void);

#endif
