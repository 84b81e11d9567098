/*
 * Creates streams again while the drain has not yet sent the records of their predecessors to a
 * host: each new stream has the requested size. Prints a line for each.
 */
#include <stdint.h>
#include <trace.h>

#include "board.h"
#include "kernel.h"
#include "tickertape/read.h"
#include "tickertape/stream.h"
#include "tickertape/tickertape.h"
#include "tracer.h"

#define SMALL_BYTES 2048u
#define LARGE_BYTES 12000u
#define EVENTS      350u
#define FEW         40u
#define ALL_STREAMS 8u

static kernel_thread_t thread;
static _Alignas(8) uint8_t stack[8192];
static trace_event_id_t event;

static void say(const char *what, uint32_t number)
{
    char text[] = "           \n";
    for (uint32_t i = sizeof text - 3u; i > 0u; i--) {
        text[i] = (char)('0' + number % 10u);
        number /= 10u;
        if (number == 0u) {
            break;
        }
    }
    board_console_write(what);
    board_console_write(text);
}

static char name[] = "stream 0"; /* name of the last created stream */

static trace_id_t create(uint32_t number, size_t bytes)
{
    trace_attr_t attr;
    trace_id_t trid = 0;
    trace_event_set_t set;
    name[sizeof name - 2u] = (char)('0' + number);
    (void)posix_trace_attr_init(&attr);
    (void)posix_trace_attr_setname(&attr, name);
    (void)posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_UNTIL_FULL);
    (void)posix_trace_attr_setstreamsize(&attr, bytes);
    int result = posix_trace_create(0, &attr, &trid);
    if (result != 0) {
        say("create: ", (uint32_t)result);
    }
    (void)posix_trace_eventset_fill(&set, POSIX_TRACE_SYSTEM_EVENTS);
    (void)posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET);
    return trid;
}

static void trace(trace_id_t trid, uint32_t count)
{
    (void)posix_trace_start(trid);
    for (uint32_t i = 0; i < count; i++) {
        posix_trace_event(event, &i, sizeof i);
    }
}

static uint32_t read_back(trace_id_t trid)
{
    uint32_t count = 0;
    for (;;) {
        struct posix_trace_event_info info;
        uint32_t data;
        size_t bytes;
        int unavailable = 0;
        if (posix_trace_trygetnext_event(trid, &info, &data, sizeof data, &bytes, &unavailable) !=
                0 ||
            unavailable != 0) {
            return count;
        }
        count += info.posix_event_id == event;
    }
}

/* Create a stream, attach to it like a host by STREAM_ATTACH, and shut it down with unsent records;
 * in the first stream, also with a buffer taken by a reader on the target. */
static void use_and_leave(uint32_t number)
{
    trace_id_t trid = create(number, SMALL_BYTES);
    struct posix_trace_event_info info;
    uint32_t data;
    size_t bytes;
    int unavailable = 0;
    const uint32_t stream = (uint32_t)tt_stream_by_name(name, sizeof name - 1u);
    (void)tt_stream_attach(stream, true);
    trace(trid, FEW);
    (void)tt_pause_drain(stream, true); /* like a slow link */
    if (number == 0u) {
        (void)posix_trace_trygetnext_event(trid, &info, &data, sizeof data, &bytes, &unavailable);
    }
    (void)posix_trace_shutdown(trid);
}

static void run(void *argument)
{
    (void)argument;
    trace_id_t large[ALL_STREAMS];
    (void)posix_trace_eventid_open("e", &event);
    for (uint32_t i = 0; i < ALL_STREAMS; i++) {
        use_and_leave(i);
    }
    for (uint32_t i = 0; i < ALL_STREAMS; i++) {
        large[i] = create(i, LARGE_BYTES);
    }
    for (uint32_t i = 0; i < ALL_STREAMS; i++) {
        trace(large[i], EVENTS);
        (void)posix_trace_stop(large[i]);
        say("read back: ", read_back(large[i]));
        (void)posix_trace_shutdown(large[i]);
    }
    board_exit(0);
}

void application_main(void)
{
    tracer_open("reused", NULL, 0);
    (void)kernel_thread_create(&thread, "reused", run, NULL, 20, stack, sizeof stack);
    kernel_start();
}
