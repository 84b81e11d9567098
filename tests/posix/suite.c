/* The conformance suite of POSIX Trace: runs its tables and prints a line per assertion. */
#include <stdio.h>
#include <time.h>

#include "side.h"

#define LINE_BYTES 160

static int count;
static int failed;

void suite_check(const char *function, const char *what, bool holds, int line)
{
    char text[LINE_BYTES];
    count++;
    failed += !holds;
    (void)snprintf(text, sizeof text, "%s %s: %s (%d)", holds ? "ok" : "FAILED", function, what,
                   line);
    side_say(text);
}

int suite_run(void)
{
    static void (*const tables[])(void) = {
        suite_attributes, suite_sets,    suite_types,   suite_streams, suite_events,
        suite_full,       suite_filters, suite_reading, suite_logs,    suite_kernel,
    };
    char text[LINE_BYTES];
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        tables[i]();
    }
    (void)snprintf(text, sizeof text, "%d assertions, %d failed", count, failed);
    side_say(text);
    return failed;
}
