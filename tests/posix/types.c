/* Event types by name. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <trace.h>

#include "side.h"
#include "stream.h"

static void check_opening(void)
{
    trace_event_id_t one = -1;
    trace_event_id_t two = -1;
    trace_event_id_t again = -1;
    char name[TRACE_EVENT_NAME_MAX + 2];
    CHECK("eventid_open", "returns 0", posix_trace_eventid_open("suite one", &one) == 0);
    (void)posix_trace_eventid_open("suite two", &two);
    CHECK("eventid_open", "another name is another event type", one != two);
    (void)posix_trace_eventid_open("suite one", &again);
    CHECK("eventid_open", "the same name is the same event type", one == again);
    memset(name, 'n', sizeof name);
    name[TRACE_EVENT_NAME_MAX + 1] = '\0';
    CHECK("eventid_open", "ENAMETOOLONG beyond TRACE_EVENT_NAME_MAX",
          posix_trace_eventid_open(name, &again) == ENAMETOOLONG);
    CHECK("eventid_open", "nothing was written", again == one);
    name[TRACE_EVENT_NAME_MAX] = '\0';
    CHECK("eventid_open", "a name of TRACE_EVENT_NAME_MAX bytes is good",
          posix_trace_eventid_open(name, &again) == 0 && again != one);
    CHECK("eventid_open", "EINVAL for no name", posix_trace_eventid_open(NULL, &again) == EINVAL);
    CHECK("eventid_open", "EINVAL for no place",
          posix_trace_eventid_open("suite one", NULL) == EINVAL);
}

static void check_for_stream(trace_id_t trid)
{
    trace_event_id_t one = -1;
    trace_event_id_t same = -1;
    char name[TRACE_EVENT_NAME_MAX + 2];
    (void)posix_trace_eventid_open("suite one", &one);
    CHECK("trid_eventid_open", "returns 0",
          posix_trace_trid_eventid_open(trid, "suite one", &same) == 0);
    CHECK("trid_eventid_open", "is the event type that others have", one == same);
    CHECK("trid_eventid_open", "EINVAL for no stream",
          posix_trace_trid_eventid_open(NO_TRID, "suite one", &same) == EINVAL);
    memset(name, 'm', sizeof name);
    name[TRACE_EVENT_NAME_MAX + 1] = '\0';
    CHECK("trid_eventid_open", "ENAMETOOLONG beyond TRACE_EVENT_NAME_MAX",
          posix_trace_trid_eventid_open(trid, name, &same) == ENAMETOOLONG);
    CHECK("eventid_equal", "not 0 for the same", posix_trace_eventid_equal(trid, one, same) != 0);
    CHECK("eventid_equal", "0 for others",
          posix_trace_eventid_equal(trid, one, POSIX_TRACE_START) == 0);
}

static void check_names(trace_id_t trid)
{
    static const struct name_row {
        trace_event_id_t event;
        const char *name;
    } rows[] = {
        {POSIX_TRACE_ERROR, "posix_trace_error"},
        {POSIX_TRACE_START, "posix_trace_start"},
        {POSIX_TRACE_STOP, "posix_trace_stop"},
        {POSIX_TRACE_FILTER, "posix_trace_filter"},
        {POSIX_TRACE_OVERFLOW, "posix_trace_overflow"},
        {POSIX_TRACE_RESUME, "posix_trace_resume"},
        {POSIX_TRACE_FLUSH_START, "posix_trace_flush_start"},
        {POSIX_TRACE_FLUSH_STOP, "posix_trace_flush_stop"},
        {POSIX_TRACE_UNNAMED_USEREVENT, "posix_trace_unnamed_userevent"},
        {POSIX_TRACE_CONTEXT_SWITCH, "posix_trace_context_switch"},
        {POSIX_TRACE_TASK_STATE, "posix_trace_task_state"},
        {POSIX_TRACE_KERNEL_OVERHEAD, "posix_trace_kernel_overhead"},
        {POSIX_TRACE_SYSTEM_CALL, "posix_trace_system_call"},
        {POSIX_TRACE_MUTEX_LOCK, "posix_trace_mutex_lock"},
        {POSIX_TRACE_MUTEX_UNLOCK, "posix_trace_mutex_unlock"},
        {POSIX_TRACE_COND_WAIT, "posix_trace_cond_wait"},
        {POSIX_TRACE_COND_BROADCAST, "posix_trace_cond_broadcast"},
    };
    char name[TRACE_NAME_MAX];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK("eventid_get_name", rows[i].name,
              posix_trace_eventid_get_name(trid, rows[i].event, name) == 0 &&
                  strcmp(name, rows[i].name) == 0);
    }
    trace_event_id_t one;
    (void)posix_trace_eventid_open("suite one", &one);
    CHECK("eventid_get_name", "of a user's event type",
          posix_trace_eventid_get_name(trid, one, name) == 0 && strcmp(name, "suite one") == 0);
    CHECK("eventid_get_name", "EINVAL for no event type",
          posix_trace_eventid_get_name(trid, 17, name) == EINVAL);
    CHECK("eventid_get_name", "EINVAL for a negative one",
          posix_trace_eventid_get_name(trid, -5, name) == EINVAL);
    CHECK("eventid_get_name", "EINVAL for no stream",
          posix_trace_eventid_get_name(NO_TRID, one, name) == EINVAL);
}

/* Return the number of listed event types; stores whether `wanted` is among them. */
static int count_list(trace_id_t trid, trace_event_id_t wanted, bool *found)
{
    trace_event_id_t event;
    int unavailable = 0;
    int listed = 0;
    *found = false;
    while (posix_trace_eventtypelist_getnext_id(trid, &event, &unavailable) == 0 &&
           unavailable == 0 && listed < 1000) {
        *found = *found || event == wanted;
        listed++;
    }
    return listed;
}

static void check_list(trace_id_t trid)
{
    trace_event_id_t one;
    trace_event_id_t event;
    int unavailable = 0;
    bool found;
    (void)posix_trace_eventid_open("suite one", &one);
    CHECK("eventtypelist_rewind", "returns 0", posix_trace_eventtypelist_rewind(trid) == 0);
    int first = count_list(trid, one, &found);
    CHECK("eventtypelist_getnext_id", "has the predefined and the user's", first >= 19 && found);
    CHECK("eventtypelist_getnext_id", "stays at its end",
          posix_trace_eventtypelist_getnext_id(trid, &event, &unavailable) == 0 &&
              unavailable != 0);
    (void)posix_trace_eventtypelist_rewind(trid);
    CHECK("eventtypelist_rewind", "begins anew",
          count_list(trid, POSIX_TRACE_ERROR, &found) == first && found);
    (void)posix_trace_eventtypelist_rewind(trid);
    (void)posix_trace_eventtypelist_getnext_id(trid, &event, &unavailable);
    CHECK("eventtypelist_getnext_id", "reports when there is one", unavailable == 0);
    CHECK("eventtypelist_getnext_id", "EINVAL for no stream",
          posix_trace_eventtypelist_getnext_id(NO_TRID, &event, &unavailable) == EINVAL);
    CHECK("eventtypelist_rewind", "EINVAL for no stream",
          posix_trace_eventtypelist_rewind(NO_TRID) == EINVAL);
}

void suite_types(void)
{
    trace_id_t trid = create_plain();
    check_opening();
    check_for_stream(trid);
    check_names(trid);
    check_list(trid);
    (void)posix_trace_shutdown(trid);
}

/* Open more event types than the limit allows. Runs last, because event types stay forever. */
void types_limit(void)
{
    char name[TRACE_EVENT_NAME_MAX + 1];
    trace_event_id_t event = -1;
    int named = 0;
    for (int i = 0; i < TRACE_USER_EVENT_MAX + 2; i++) {
        (void)snprintf(name, sizeof name, "suite limit %d", i);
        int result = posix_trace_eventid_open(name, &event);
        named += result == 0 && event != POSIX_TRACE_UNNAMED_USEREVENT;
    }
    const trace_event_id_t told[] = {POSIX_TRACE_ERROR};
    trace_id_t trid = create_sized(POSIX_TRACE_LOOP, 1024);
    filter_all_system_but(trid, told, 1);
    (void)posix_trace_start(trid);
    CHECK("eventid_open", "succeeds beyond the limit",
          posix_trace_eventid_open("suite too many", &event) == 0);
    got_t error = read_now(trid);
    CHECK("eventid_open", "and records an error",
          error.result == 0 && error.unavailable == 0 &&
              error.info.posix_event_id == POSIX_TRACE_ERROR && number_of(&error) == ENOSPC);
    (void)posix_trace_eventid_open("suite one", &event);
    CHECK("eventid_open", "and none for a name that is known", read_now(trid).unavailable != 0);
    (void)posix_trace_shutdown(trid);
    (void)posix_trace_eventid_open("suite too many", &event);
    CHECK("eventid_open", "and gives the unnamed event type",
          event == POSIX_TRACE_UNNAMED_USEREVENT);
    CHECK("eventid_open", "not before the limit", named > 0 && named < TRACE_USER_EVENT_MAX);
    (void)posix_trace_eventid_open("suite one", &event);
    CHECK("eventid_open", "a name that is known stays what it is",
          event != POSIX_TRACE_UNNAMED_USEREVENT);
}
