/* Filters: a set bit excludes an event type. */
#include <errno.h>
#include <string.h>
#include <trace.h>

#include "side.h"
#include "stream.h"

static trace_event_set_t set_of(const trace_event_id_t *events, size_t count)
{
    trace_event_set_t set;
    (void)posix_trace_eventset_empty(&set);
    for (size_t i = 0; i < count; i++) {
        (void)posix_trace_eventset_add(events[i], &set);
    }
    return set;
}

static bool filters(trace_id_t trid, trace_event_id_t event)
{
    trace_event_set_t set;
    int member = 0;
    (void)posix_trace_get_filter(trid, &set);
    (void)posix_trace_eventset_ismember(event, &set, &member);
    return member != 0;
}

static void check_combining(void)
{
    const trace_event_id_t one[] = {POSIX_TRACE_START, POSIX_TRACE_STOP};
    const trace_event_id_t two[] = {POSIX_TRACE_STOP, POSIX_TRACE_ERROR};
    const trace_event_set_t first = set_of(one, 2);
    const trace_event_set_t second = set_of(two, 2);
    static const struct how_row {
        const char *what;
        int how;
        bool start; /* filtered afterwards; also the next two */
        bool stop;
        bool error;
    } rows[] = {
        {"SET replaces", POSIX_TRACE_SET_EVENTSET, false, true, true},
        {"ADD unites", POSIX_TRACE_ADD_EVENTSET, true, true, true},
        {"SUB takes out", POSIX_TRACE_SUB_EVENTSET, true, false, false},
    };
    trace_id_t trid = create_plain();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)posix_trace_set_filter(trid, &first, POSIX_TRACE_SET_EVENTSET);
        CHECK("set_filter", rows[i].what, posix_trace_set_filter(trid, &second, rows[i].how) == 0);
        CHECK("get_filter", "what only the first had",
              filters(trid, POSIX_TRACE_START) == rows[i].start);
        CHECK("get_filter", "common to both", filters(trid, POSIX_TRACE_STOP) == rows[i].stop);
        CHECK("get_filter", "what only the second had",
              filters(trid, POSIX_TRACE_ERROR) == rows[i].error);
        CHECK("get_filter", "what none had", !filters(trid, POSIX_TRACE_FILTER));
    }
    CHECK("set_filter", "EINVAL for another number",
          posix_trace_set_filter(trid, &first, 9) == EINVAL);
    CHECK("set_filter", "EINVAL for no set",
          posix_trace_set_filter(trid, NULL, POSIX_TRACE_SET_EVENTSET) == EINVAL);
    CHECK("set_filter", "EINVAL for no stream",
          posix_trace_set_filter(NO_TRID, &first, POSIX_TRACE_SET_EVENTSET) == EINVAL);
    trace_event_set_t set;
    CHECK("get_filter", "EINVAL for no stream", posix_trace_get_filter(NO_TRID, &set) == EINVAL);
    CHECK("get_filter", "EINVAL for no place", posix_trace_get_filter(trid, NULL) == EINVAL);
    (void)posix_trace_shutdown(trid);
}

static void check_filtering(void)
{
    trace_event_id_t two = -1;
    (void)posix_trace_eventid_open("suite two", &two);
    trace_id_t trid = create_quiet();
    trace_id_t other = create_quiet();
    const trace_event_id_t out[] = {event_one()};
    const trace_event_set_t set = set_of(out, 1);
    (void)posix_trace_start(trid);
    (void)posix_trace_start(other);
    (void)posix_trace_set_filter(trid, &set, POSIX_TRACE_ADD_EVENTSET);
    trace_number(1);
    posix_trace_event(two, "two", 3);
    got_t got = read_now(trid);
    CHECK("set_filter", "keeps an event type out", got.info.posix_event_id == two);
    CHECK("set_filter", "and no other", read_now(trid).unavailable != 0);
    CHECK("set_filter", "of this stream only", count_events(other, event_one()) == 1);
    (void)posix_trace_set_filter(trid, &set, POSIX_TRACE_SUB_EVENTSET);
    trace_number(2);
    got = read_now(trid);
    CHECK("set_filter", "and lets it in again", number_of(&got) == 2);
    (void)posix_trace_eventset_fill(&(trace_event_set_t){{0, 0}}, POSIX_TRACE_ALL_EVENTS);
    trace_event_set_t all;
    (void)posix_trace_eventset_fill(&all, POSIX_TRACE_ALL_EVENTS);
    (void)posix_trace_set_filter(trid, &all, POSIX_TRACE_SET_EVENTSET);
    trace_number(3);
    (void)posix_trace_stop(trid);
    (void)posix_trace_start(trid);
    CHECK("set_filter", "all events: nothing is recorded", read_now(trid).unavailable != 0);
    (void)posix_trace_shutdown(trid);
    (void)posix_trace_shutdown(other);
}

static void check_telling(void)
{
    const trace_event_id_t told[] = {POSIX_TRACE_FILTER};
    trace_id_t trid = create_plain();
    trace_event_set_t before;
    trace_event_set_t after;
    trace_event_set_t sets[2];
    filter_all_system_but(trid, told, 1);
    (void)posix_trace_get_filter(trid, &before);
    CHECK("set_filter", "records nothing while suspended", read_now(trid).unavailable != 0);
    (void)posix_trace_start(trid);
    const trace_event_id_t out[] = {event_one()};
    const trace_event_set_t set = set_of(out, 1);
    (void)posix_trace_set_filter(trid, &set, POSIX_TRACE_ADD_EVENTSET);
    (void)posix_trace_get_filter(trid, &after);
    got_t got = read_now(trid);
    CHECK("set_filter", "is recorded while it runs", got.info.posix_event_id == POSIX_TRACE_FILTER);
    CHECK("set_filter", "two sets", got.bytes == sizeof sets);
    memcpy(sets, got.data, sizeof sets);
    CHECK("set_filter", "the one that was", memcmp(&sets[0], &before, sizeof before) == 0);
    CHECK("set_filter", "and the one that is", memcmp(&sets[1], &after, sizeof after) == 0);
    (void)posix_trace_shutdown(trid);
}

void suite_filters(void)
{
    check_combining();
    check_filtering();
    check_telling();
}
