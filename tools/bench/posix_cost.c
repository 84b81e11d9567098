/*
 * Measures an event of POSIX Trace in a Linux process. Argument 1 is the number of streams that
 * record it, argument 2 the number of events. Prints the processor time in nanoseconds of tracing
 * one event, and of reading one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <trace.h>

static double cpu_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static trace_id_t start(void)
{
    trace_event_set_t set;
    trace_id_t trid;
    if (posix_trace_create(0, NULL, &trid) != 0) {
        exit(1);
    }
    (void)posix_trace_eventset_fill(&set, POSIX_TRACE_SYSTEM_EVENTS);
    (void)posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET);
    (void)posix_trace_start(trid);
    return trid;
}

static double traced_ns(trace_event_id_t event, int count)
{
    double begin = cpu_ns();
    for (int i = 0; i < count; i++) {
        posix_trace_event(event, &i, sizeof i);
    }
    return (cpu_ns() - begin) / count;
}

/* Returns the processor time per event of reading all events that the stream still contains. */
static double read_ns(trace_id_t trid)
{
    struct posix_trace_event_info info;
    char data[64];
    size_t bytes;
    int unavailable = 0;
    int count = 0;
    double begin = cpu_ns();
    while (posix_trace_trygetnext_event(trid, &info, data, sizeof data, &bytes, &unavailable) ==
               0 &&
           unavailable == 0) {
        count++;
    }
    return count == 0 ? 0.0 : (cpu_ns() - begin) / count;
}

int main(int argument_count, char **arguments)
{
    trace_event_id_t event;
    trace_id_t trid = 0;
    int streams = argument_count > 1 ? atoi(arguments[1]) : 1;
    int count = argument_count > 2 ? atoi(arguments[2]) : 1000000;
    (void)posix_trace_eventid_open("cost", &event);
    for (int i = 0; i < streams; i++) {
        trid = start();
    }
    double traced = traced_ns(event, count);
    (void)printf("%.1f %.1f\n", traced, streams == 0 ? 0.0 : read_ns(trid));
    return 0;
}
