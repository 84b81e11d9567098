/* Functions for sets of event types. */
#include <errno.h>
#include <trace.h>

#include "side.h"

static const trace_event_id_t systems[] = {
    POSIX_TRACE_ERROR,          POSIX_TRACE_START,           POSIX_TRACE_STOP,
    POSIX_TRACE_FILTER,         POSIX_TRACE_OVERFLOW,        POSIX_TRACE_RESUME,
    POSIX_TRACE_FLUSH_START,    POSIX_TRACE_FLUSH_STOP,      POSIX_TRACE_CONTEXT_SWITCH,
    POSIX_TRACE_TASK_STATE,     POSIX_TRACE_KERNEL_OVERHEAD, POSIX_TRACE_SYSTEM_CALL,
    POSIX_TRACE_MUTEX_LOCK,     POSIX_TRACE_MUTEX_UNLOCK,    POSIX_TRACE_COND_WAIT,
    POSIX_TRACE_COND_BROADCAST,
};

#define SYSTEM_COUNT (sizeof systems / sizeof systems[0])

static bool has(const trace_event_set_t *set, trace_event_id_t event)
{
    int member = -1;
    return posix_trace_eventset_ismember(event, set, &member) == 0 && member != 0;
}

static void check_filling(void)
{
    static const struct fill_row {
        const char *what;
        int how;
        bool system;
        bool user;
    } rows[] = {
        {"WOPID", POSIX_TRACE_WOPID_EVENTS, false, false},
        {"SYSTEM", POSIX_TRACE_SYSTEM_EVENTS, true, false},
        {"ALL", POSIX_TRACE_ALL_EVENTS, true, true},
    };
    trace_event_set_t set;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool right = true;
        CHECK("eventset_fill", rows[i].what, posix_trace_eventset_fill(&set, rows[i].how) == 0);
        for (size_t s = 0; s < SYSTEM_COUNT; s++) {
            right = right && has(&set, systems[s]) == rows[i].system;
        }
        CHECK("eventset_fill", "system events are in it or not", right);
        CHECK("eventset_fill", "user events are in it or not",
              has(&set, POSIX_TRACE_UNNAMED_USEREVENT) == rows[i].user);
        CHECK("eventset_full", "the reference's name does the same",
              posix_trace_eventset_full(&set, rows[i].how) == 0 &&
                  has(&set, POSIX_TRACE_START) == rows[i].system);
    }
    CHECK("eventset_fill", "EINVAL for another number",
          posix_trace_eventset_fill(&set, 99) == EINVAL);
    CHECK("eventset_fill", "EINVAL for no set",
          posix_trace_eventset_fill(NULL, POSIX_TRACE_ALL_EVENTS) == EINVAL);
}

static void check_members(void)
{
    trace_event_set_t set;
    int member = -1;
    bool right = true;
    CHECK("eventset_empty", "returns 0", posix_trace_eventset_empty(&set) == 0);
    for (size_t i = 0; i < SYSTEM_COUNT; i++) {
        right = right && !has(&set, systems[i]);
    }
    CHECK("eventset_empty", "nothing is in it", right);
    CHECK("eventset_empty", "EINVAL for no set", posix_trace_eventset_empty(NULL) == EINVAL);
    for (size_t i = 0; i < SYSTEM_COUNT; i++) {
        CHECK("eventset_add", "takes each event type",
              posix_trace_eventset_add(systems[i], &set) == 0 && has(&set, systems[i]));
    }
    CHECK("eventset_add", "a member may be added again",
          posix_trace_eventset_add(POSIX_TRACE_STOP, &set) == 0 && has(&set, POSIX_TRACE_STOP));
    CHECK("eventset_add", "leaves others alone", !has(&set, POSIX_TRACE_UNNAMED_USEREVENT));
    CHECK("eventset_del", "returns 0", posix_trace_eventset_del(POSIX_TRACE_STOP, &set) == 0);
    CHECK("eventset_del", "takes it out", !has(&set, POSIX_TRACE_STOP));
    CHECK("eventset_del", "leaves others alone", has(&set, POSIX_TRACE_START));
    CHECK("eventset_del", "what is not in it may be taken out",
          posix_trace_eventset_del(POSIX_TRACE_STOP, &set) == 0);
    CHECK("eventset_ismember", "returns 0",
          posix_trace_eventset_ismember(POSIX_TRACE_START, &set, &member) == 0);
    CHECK("eventset_ismember", "is not 0 for a member", member != 0);
    (void)posix_trace_eventset_ismember(POSIX_TRACE_STOP, &set, &member);
    CHECK("eventset_ismember", "is 0 for what is none", member == 0);
}

static void check_errors(void)
{
    static const trace_event_id_t wrong[] = {-1, 0, 17, 31, 64, 1000};
    trace_event_set_t set;
    int member = 7;
    (void)posix_trace_eventset_empty(&set);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK("eventset_add", "EINVAL for no event type",
              posix_trace_eventset_add(wrong[i], &set) == EINVAL);
        CHECK("eventset_del", "EINVAL for no event type",
              posix_trace_eventset_del(wrong[i], &set) == EINVAL);
        CHECK("eventset_ismember", "EINVAL for no event type",
              posix_trace_eventset_ismember(wrong[i], &set, &member) == EINVAL && member == 7);
    }
    CHECK("eventset_add", "EINVAL for no set",
          posix_trace_eventset_add(POSIX_TRACE_STOP, NULL) == EINVAL);
    CHECK("eventset_del", "EINVAL for no set",
          posix_trace_eventset_del(POSIX_TRACE_STOP, NULL) == EINVAL);
    CHECK("eventset_ismember", "EINVAL for no set",
          posix_trace_eventset_ismember(POSIX_TRACE_STOP, NULL, &member) == EINVAL);
}

void suite_sets(void)
{
    check_filling();
    check_members();
    check_errors();
}
