/*
 * Eight streams with a reader each, and several writers: every reader gets every event of every
 * writer once and in order, or the stream reports losses. Argument 1: number of events per writer;
 * argument 2: 0 for streams that are large enough for all events, otherwise streams that lose some.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <trace.h>

#include "check.h"

#define WRITERS 4
#define LAST    0xffffffffu

typedef struct mark {
    uint32_t writer;
    uint32_t number;
} mark_t;

typedef struct reader {
    pthread_t thread;
    trace_id_t trid;
    uint32_t next[WRITERS]; /* expected number */
    uint64_t events;
    uint64_t missing;  /* number of skipped events */
    uint64_t repeated; /* number of repeated or misplaced events */
    uint64_t damaged;  /* number of faults in data */
    int overflows;
} reader_t;

static uint32_t events_of_each;
static trace_event_id_t event;
static reader_t readers[TRACE_SYS_MAX];

static void take(reader_t *reader, const mark_t *mark)
{
    if (mark->writer >= WRITERS || mark->number >= events_of_each) {
        reader->damaged++;
        return;
    }
    uint32_t *next = &reader->next[mark->writer];
    reader->repeated += mark->number < *next;
    reader->missing += mark->number > *next ? mark->number - *next : 0u;
    *next = mark->number + 1u;
    reader->events++;
}

static void *read_all(void *argument)
{
    reader_t *reader = argument;
    for (;;) {
        struct posix_trace_event_info info;
        char data[64];
        size_t bytes = 0;
        int unavailable = 0;
        mark_t mark;
        int result =
            posix_trace_getnext_event(reader->trid, &info, data, sizeof data, &bytes, &unavailable);
        if (result != 0 || unavailable != 0) {
            reader->damaged += 1000000u;
            return NULL;
        }
        if (info.posix_event_id == POSIX_TRACE_OVERFLOW) {
            reader->overflows++;
        }
        if (info.posix_event_id != event) {
            continue;
        }
        memcpy(&mark, data, sizeof mark);
        reader->damaged += bytes < sizeof mark;
        if (mark.writer == LAST) {
            return NULL;
        }
        /* Equal bytes follow the mark; its number determines their value and count. */
        for (size_t i = sizeof mark; i < bytes; i++) {
            reader->damaged += data[i] != (char)mark.number;
        }
        reader->damaged += bytes != sizeof mark + mark.number % 40u;
        take(reader, &mark);
    }
}

static void *write_all(void *argument)
{
    char data[64];
    mark_t mark = {.writer = (uint32_t)(uintptr_t)argument};
    for (mark.number = 0; mark.number < events_of_each; mark.number++) {
        memset(data, (char)mark.number, sizeof data);
        memcpy(data, &mark, sizeof mark);
        posix_trace_event(event, data, sizeof mark + mark.number % 40u);
    }
    return NULL;
}

static void begin(int i, size_t stream_bytes)
{
    trace_attr_t attr;
    trace_event_set_t set;
    (void)posix_trace_attr_init(&attr);
    (void)posix_trace_attr_setstreamsize(&attr, stream_bytes);
    EXPECT(posix_trace_create(0, &attr, &readers[i].trid) == 0);
    (void)posix_trace_eventset_fill(&set, POSIX_TRACE_SYSTEM_EVENTS);
    (void)posix_trace_eventset_del(POSIX_TRACE_OVERFLOW, &set);
    (void)posix_trace_set_filter(readers[i].trid, &set, POSIX_TRACE_SET_EVENTSET);
    EXPECT(posix_trace_start(readers[i].trid) == 0);
    EXPECT(pthread_create(&readers[i].thread, NULL, read_all, &readers[i]) == 0);
}

static void judge(const reader_t *reader, int may_lose)
{
    uint64_t missing = reader->missing;
    struct posix_trace_status_info status;
    for (int i = 0; i < WRITERS; i++) {
        missing += events_of_each - reader->next[i];
    }
    (void)posix_trace_get_status(reader->trid, &status);
    EXPECT(reader->repeated == 0u);
    EXPECT(reader->damaged == 0u);
    /* offered = delivered + lost, and every loss is reported. */
    EXPECT(reader->events + missing == (uint64_t)WRITERS * events_of_each);
    EXPECT(may_lose || missing == 0u);
    EXPECT(missing == 0u || reader->overflows > 0);
    EXPECT((status.posix_stream_overrun_status == POSIX_TRACE_OVERRUN) == (missing != 0u));
    (void)printf("%llu of %llu events\n", (unsigned long long)reader->events,
                 (unsigned long long)WRITERS * events_of_each);
}

int main(int count, char **arguments)
{
    pthread_t writers[WRITERS];
    events_of_each = count > 1 ? (uint32_t)strtoul(arguments[1], NULL, 10) : 1000u;
    int may_lose = count > 2 && strtol(arguments[2], NULL, 10) != 0;
    trace_attr_t attr;
    size_t most = 0;
    (void)posix_trace_attr_init(&attr);
    (void)posix_trace_attr_getmaxusereventsize(&attr, sizeof(mark_t) + 39u, &most);
    most = (most * events_of_each + 4096u) * WRITERS;
    (void)posix_trace_eventid_open("mark", &event);
    for (int i = 0; i < TRACE_SYS_MAX; i++) {
        begin(i, may_lose ? 16384u : most);
    }
    for (uintptr_t i = 0; i < WRITERS; i++) {
        EXPECT(pthread_create(&writers[i], NULL, write_all, (void *)i) == 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        (void)pthread_join(writers[i], NULL);
    }
    const mark_t last = {.writer = LAST};
    posix_trace_event(event, &last, sizeof last);
    for (int i = 0; i < TRACE_SYS_MAX; i++) {
        (void)pthread_join(readers[i].thread, NULL);
        judge(&readers[i], may_lose);
        EXPECT(posix_trace_shutdown(readers[i].trid) == 0);
    }
    return failures == 0 ? 0 : 1;
}
