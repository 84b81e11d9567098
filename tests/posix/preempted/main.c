/*
 * A thread traces long events into several streams while a more urgent thread reads them, which
 * wakes at each tick, often in the middle of an event. Prints the number of whole events, of
 * others, and of ticks at which an event was incomplete.
 */
#include <stdint.h>
#include <trace.h>

#include "board.h"
#include "kernel.h"
#include "posix_stream.h"
#include "tracer.h"

#define EVENTS  1200u
#define WORDS   50u
#define STREAMS 4u
#define PAUSE   20000u /* maximum turns of a loop between two events */
#define LEAD    20u    /* events for which every stream has room */

static kernel_thread_t writer_thread;
static kernel_thread_t reader_thread;
static _Alignas(8) uint8_t writer_stack[8192];
static _Alignas(8) uint8_t reader_stack[8192];
static trace_event_id_t event;
static trace_id_t streams[STREAMS];
static uint32_t whole;
static volatile uint32_t others;
static uint32_t interrupted;
static volatile uint32_t read_count;
static volatile bool done;

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

static trace_id_t create(void)
{
    trace_attr_t attr;
    trace_id_t trid = 0;
    trace_event_set_t set;
    (void)posix_trace_attr_init(&attr);
    (void)posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_LOOP);
    (void)posix_trace_attr_setstreamsize(&attr, 12000);
    (void)posix_trace_attr_setmaxdatasize(&attr, WORDS * sizeof(uint32_t));
    (void)posix_trace_create(0, &attr, &trid);
    (void)posix_trace_eventset_fill(&set, POSIX_TRACE_SYSTEM_EVENTS);
    (void)posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET);
    (void)posix_trace_start(trid);
    return trid;
}

static void write_events(void *argument)
{
    uint32_t words[WORDS];
    (void)argument;
    for (uint32_t i = 0; i < EVENTS; i++) {
        const uint32_t pause = (i * 2654435761u >> 16) % PAUSE;
        for (volatile uint32_t k = 0; k < pause || (i - read_count >= LEAD && others == 0u); k++) {
        }
        for (uint32_t k = 0; k < WORDS; k++) {
            words[k] = i * WORDS + k;
        }
        posix_trace_event(event, words, sizeof words);
    }
    done = true;
    (void)kernel_sleep(KERNEL_FOREVER - 1u);
}

/* Read all events of a stream; count those that are whole and in order, and all others. */
static void read_all(trace_id_t trid, uint32_t *next)
{
    for (;;) {
        struct posix_trace_event_info info;
        static uint32_t words[WORDS + 1u];
        size_t bytes = 0;
        int unavailable = 0;
        if (posix_trace_trygetnext_event(trid, &info, words, sizeof words, &bytes, &unavailable) !=
                0 ||
            unavailable != 0) {
            return;
        }
        bool is_whole = info.posix_event_id == event && bytes == WORDS * sizeof words[0];
        for (uint32_t k = 0; is_whole && k < WORDS; k++) {
            is_whole = words[k] == *next * WORDS + k;
        }
        whole += is_whole;
        *next += is_whole;
        others += !is_whole && info.posix_event_id != POSIX_TRACE_START;
    }
}

static void read_events(void *argument)
{
    uint32_t next[STREAMS] = {0};
    (void)argument;
    (void)posix_trace_eventid_open("e", &event);
    for (uint32_t i = 0; i < STREAMS; i++) {
        streams[i] = create();
    }
    (void)kernel_thread_create(&writer_thread, "writer", write_events, NULL, 10, writer_stack,
                               sizeof writer_stack);
    for (bool last = false; !last;) {
        (void)kernel_sleep(1);
        last = done;
        interrupted += atomic_load(&posix_limits.recording);
        for (uint32_t i = 0; i < STREAMS; i++) {
            read_all(streams[i], &next[i]);
        }
        read_count = next[0];
    }
    say("whole ", whole);
    say("others ", others);
    say("interrupted ", interrupted);
    board_exit(0);
}

void application_main(void)
{
    tracer_open("preempted", NULL, 0);
    (void)kernel_thread_create(&reader_thread, "reader", read_events, NULL, 20, reader_stack,
                               sizeof reader_stack);
    kernel_start();
}
