#include "stream.h"

#include <string.h>

trace_id_t create_plain(void)
{
    trace_id_t trid = NO_TRID;
    (void)posix_trace_create(0, NULL, &trid);
    return trid;
}

trace_id_t create_sized(int policy, size_t bytes)
{
    trace_id_t trid = NO_TRID;
    trace_attr_t attr;
    (void)posix_trace_attr_init(&attr);
    (void)posix_trace_attr_setstreamfullpolicy(&attr, policy);
    (void)posix_trace_attr_setstreamsize(&attr, bytes);
    (void)posix_trace_create(0, &attr, &trid);
    return trid;
}

trace_id_t create_quiet(void)
{
    trace_id_t trid = create_plain();
    filter_all_system_but(trid, NULL, 0);
    return trid;
}

void filter_all_system_but(trace_id_t trid, const trace_event_id_t *events, size_t count)
{
    trace_event_set_t set;
    (void)posix_trace_eventset_fill(&set, POSIX_TRACE_SYSTEM_EVENTS);
    for (size_t i = 0; i < count; i++) {
        (void)posix_trace_eventset_del(events[i], &set);
    }
    (void)posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET);
}

trace_event_id_t event_one(void)
{
    trace_event_id_t event = -1;
    (void)posix_trace_eventid_open("suite one", &event);
    return event;
}

void trace_number(int number)
{
    posix_trace_event(event_one(), &number, sizeof number);
}

int number_of(const got_t *got)
{
    int number = -1;
    if (got->bytes == sizeof number) {
        memcpy(&number, got->data, sizeof number);
    }
    return number;
}

got_t read_now(trace_id_t trid)
{
    got_t got = {.unavailable = -1};
    got.result = posix_trace_trygetnext_event(trid, &got.info, got.data, sizeof got.data,
                                              &got.bytes, &got.unavailable);
    return got;
}

int count_events(trace_id_t trid, trace_event_id_t event)
{
    int count = 0;
    for (;;) {
        got_t got = read_now(trid);
        if (got.result != 0 || got.unavailable != 0) {
            return count;
        }
        count += got.info.posix_event_id == event;
    }
}

struct posix_trace_status_info status_of(trace_id_t trid)
{
    struct posix_trace_status_info status;
    memset(&status, 0xff, sizeof status);
    (void)posix_trace_get_status(trid, &status);
    return status;
}
