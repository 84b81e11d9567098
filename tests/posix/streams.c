/* Streams: creating, starting, stopping, clearing, ending, and their attributes. */
#include <errno.h>
#include <string.h>
#include <trace.h>

#include "side.h"
#include "stream.h"

#define NO_PROCESS 0x3ffffff

static void check_creating(void)
{
    static trace_attr_t never;
    trace_attr_t attr;
    trace_id_t trid = NO_TRID;
    struct posix_trace_status_info status;
    trace_event_set_t set;
    int member = -1;
    (void)posix_trace_attr_init(&attr);
    CHECK("create", "returns 0", posix_trace_create(0, &attr, &trid) == 0);
    status = status_of(trid);
    CHECK("create", "starts suspended", status.posix_stream_status == POSIX_TRACE_SUSPENDED);
    CHECK("create", "is not full", status.posix_stream_full_status == POSIX_TRACE_NOT_FULL);
    CHECK("create", "has no overrun", status.posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN);
    CHECK("create", "does not flush", status.posix_stream_flush_status == POSIX_TRACE_NOT_FLUSHING);
    CHECK("create", "has no flush error", status.posix_stream_flush_error == 0);
    CHECK("create", "has no overrun of a log",
          status.posix_log_overrun_status == POSIX_TRACE_NO_OVERRUN);
    CHECK("create", "has no full log", status.posix_log_full_status == POSIX_TRACE_NOT_FULL);
    CHECK("get_filter", "returns 0", posix_trace_get_filter(trid, &set) == 0);
    (void)posix_trace_eventset_ismember(POSIX_TRACE_START, &set, &member);
    CHECK("create", "the filter is empty", member == 0);
    CHECK("create", "has no event", read_now(trid).unavailable != 0);
    CHECK("shutdown", "returns 0", posix_trace_shutdown(trid) == 0);
    CHECK("create", "EINVAL for no attributes", posix_trace_create(0, &never, &trid) == EINVAL);
    CHECK("create", "EINVAL for no place", posix_trace_create(0, &attr, NULL) == EINVAL);
    CHECK("create", "ESRCH for no process", posix_trace_create(NO_PROCESS, &attr, &trid) == ESRCH);
    (void)posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_FLUSH);
    CHECK("create", "EINVAL for FLUSH without log", posix_trace_create(0, &attr, &trid) == EINVAL);
    (void)posix_trace_attr_init(&attr);
    (void)posix_trace_attr_setstreamsize(&attr, (size_t)1 << 30);
    CHECK("create", "ENOMEM for more than there is", posix_trace_create(0, &attr, &trid) == ENOMEM);
    CHECK("create", "takes default attributes", posix_trace_create(0, NULL, &trid) == 0);
    CHECK("shutdown", "ends it", posix_trace_shutdown(trid) == 0);
}

static void check_many(void)
{
    trace_id_t trids[TRACE_SYS_MAX];
    trace_id_t one_more = NO_TRID;
    bool created = true;
    bool different = true;
    for (int i = 0; i < TRACE_SYS_MAX; i++) {
        trids[i] = NO_TRID;
        created = created && posix_trace_create(0, NULL, &trids[i]) == 0;
        for (int j = 0; j < i; j++) {
            different = different && trids[i] != trids[j];
        }
    }
    CHECK("create", "TRACE_SYS_MAX streams", created);
    CHECK("create", "each has its identifier", different);
    CHECK("create", "EAGAIN for one more", posix_trace_create(0, NULL, &one_more) == EAGAIN);
    CHECK("create", "nothing was written", one_more == NO_TRID);
    (void)posix_trace_shutdown(trids[3]);
    CHECK("create", "one that ended makes place", posix_trace_create(0, NULL, &one_more) == 0);
    CHECK("create", "its identifier is a new one", one_more != trids[3]);
    CHECK("start", "EINVAL for the one that ended", posix_trace_start(trids[3]) == EINVAL);
    trids[3] = one_more;
    for (int i = 0; i < TRACE_SYS_MAX; i++) {
        (void)posix_trace_shutdown(trids[i]);
    }
}

static void check_attributes(void)
{
    trace_attr_t attr;
    trace_attr_t got;
    trace_id_t trid = NO_TRID;
    char name[TRACE_NAME_MAX];
    struct timespec created = {0, 0};
    struct timespec before;
    struct timespec after;
    size_t size = 0;
    int policy = -1;
    (void)posix_trace_attr_init(&attr);
    (void)posix_trace_attr_setname(&attr, "suite stream");
    (void)posix_trace_attr_setmaxdatasize(&attr, 40);
    (void)posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_UNTIL_FULL);
    side_now(&before);
    (void)posix_trace_create(0, &attr, &trid);
    side_now(&after);
    (void)posix_trace_attr_setmaxdatasize(&attr, 50);
    CHECK("get_attr", "returns 0", posix_trace_get_attr(trid, &got) == 0);
    (void)posix_trace_attr_getname(&got, name);
    CHECK("get_attr", "gives the name", strcmp(name, "suite stream") == 0);
    (void)posix_trace_attr_getmaxdatasize(&got, &size);
    CHECK("get_attr", "changes after create do not count", size == 40u);
    (void)posix_trace_attr_getstreamfullpolicy(&got, &policy);
    CHECK("get_attr", "gives the policy", policy == POSIX_TRACE_UNTIL_FULL);
    (void)posix_trace_attr_getcreatetime(&got, &created);
    CHECK("attr_getcreatetime", "is when it was created",
          created.tv_sec >= before.tv_sec && created.tv_sec <= after.tv_sec &&
              (created.tv_sec > before.tv_sec || created.tv_nsec >= before.tv_nsec));
    CHECK("get_attr", "EINVAL for no stream", posix_trace_get_attr(NO_TRID, &got) == EINVAL);
    CHECK("get_attr", "EINVAL for no place", posix_trace_get_attr(trid, NULL) == EINVAL);
    (void)posix_trace_shutdown(trid);
    CHECK("get_attr", "EINVAL after the end", posix_trace_get_attr(trid, &got) == EINVAL);
}

static void check_running(void)
{
    trace_id_t trid = create_plain();
    const trace_event_id_t told[] = {POSIX_TRACE_START, POSIX_TRACE_STOP};
    filter_all_system_but(trid, told, 2);
    trace_number(1);
    CHECK("event", "no effect while suspended", read_now(trid).unavailable != 0);
    CHECK("start", "returns 0", posix_trace_start(trid) == 0);
    CHECK("get_status", "running", status_of(trid).posix_stream_status == POSIX_TRACE_RUNNING);
    CHECK("start", "returns 0 while it runs", posix_trace_start(trid) == 0);
    trace_number(2);
    CHECK("stop", "returns 0", posix_trace_stop(trid) == 0);
    CHECK("get_status", "suspended", status_of(trid).posix_stream_status == POSIX_TRACE_SUSPENDED);
    CHECK("stop", "returns 0 while it is suspended", posix_trace_stop(trid) == 0);
    trace_number(3);
    got_t got = read_now(trid);
    trace_event_set_t filter;
    (void)posix_trace_get_filter(trid, &filter);
    CHECK("start", "comes first", got.info.posix_event_id == POSIX_TRACE_START);
    CHECK("start", "its data are the filter",
          got.bytes == sizeof filter && memcmp(got.data, &filter, sizeof filter) == 0);
    CHECK("start", "of no process", got.info.posix_pid == 0);
    got = read_now(trid);
    CHECK("event", "recorded while it ran", number_of(&got) == 2);
    got = read_now(trid);
    CHECK("stop", "is recorded", got.info.posix_event_id == POSIX_TRACE_STOP);
    CHECK("stop", "by posix_trace_stop()", number_of(&got) == 0);
    CHECK("stop", "once, and nothing came afterwards", read_now(trid).unavailable != 0);
    (void)posix_trace_start(trid);
    trace_number(4);
    got = read_now(trid);
    CHECK("start", "is recorded each time", got.info.posix_event_id == POSIX_TRACE_START);
    got = read_now(trid);
    CHECK("start", "recording goes on", number_of(&got) == 4);
    (void)posix_trace_shutdown(trid);
}

static void check_clearing(void)
{
    trace_id_t trid = create_quiet();
    char name[TRACE_NAME_MAX];
    (void)posix_trace_start(trid);
    trace_number(1);
    trace_number(2);
    CHECK("clear", "returns 0", posix_trace_clear(trid) == 0);
    CHECK("clear", "no event is left", read_now(trid).unavailable != 0);
    CHECK("clear", "it keeps running", status_of(trid).posix_stream_status == POSIX_TRACE_RUNNING);
    CHECK("clear", "event types stay",
          posix_trace_eventid_get_name(trid, event_one(), name) == 0 &&
              strcmp(name, "suite one") == 0);
    trace_number(3);
    trace_number(4);
    got_t got = read_now(trid);
    CHECK("clear", "what comes afterwards is kept", number_of(&got) == 3);
    (void)posix_trace_clear(trid);
    CHECK("clear", "also after one that was read", read_now(trid).unavailable != 0);
    CHECK("clear", "is not an overrun",
          status_of(trid).posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN);
    (void)posix_trace_stop(trid);
    (void)posix_trace_clear(trid);
    CHECK("clear", "it stays suspended",
          status_of(trid).posix_stream_status == POSIX_TRACE_SUSPENDED);
    (void)posix_trace_shutdown(trid);
}

static void check_ending(void)
{
    static const struct end_row {
        const char *function;
        int (*call)(trace_id_t trid);
    } rows[] = {
        {"start", posix_trace_start},
        {"stop", posix_trace_stop},
        {"clear", posix_trace_clear},
        {"flush", posix_trace_flush},
        {"shutdown", posix_trace_shutdown},
        {"close", posix_trace_close},
        {"rewind", posix_trace_rewind},
        {"eventtypelist_rewind", posix_trace_eventtypelist_rewind},
    };
    trace_id_t trid = create_plain();
    struct posix_trace_status_info status;
    CHECK("get_status", "returns 0", posix_trace_get_status(trid, &status) == 0);
    CHECK("get_status", "EINVAL for no place", posix_trace_get_status(trid, NULL) == EINVAL);
    CHECK("flush", "EINVAL without log", posix_trace_flush(trid) == EINVAL);
    CHECK("close", "EINVAL for an active stream", posix_trace_close(trid) == EINVAL);
    CHECK("rewind", "EINVAL for an active stream", posix_trace_rewind(trid) == EINVAL);
    (void)posix_trace_start(trid);
    trace_number(1);
    CHECK("shutdown", "also of one that runs", posix_trace_shutdown(trid) == 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK(rows[i].function, "EINVAL after the end", rows[i].call(trid) == EINVAL);
        CHECK(rows[i].function, "EINVAL for no stream", rows[i].call(NO_TRID) == EINVAL);
        CHECK(rows[i].function, "EINVAL for 0", rows[i].call(0) == EINVAL);
    }
    CHECK("get_status", "EINVAL after the end", posix_trace_get_status(trid, &status) == EINVAL);
    CHECK("trygetnext_event", "EINVAL after the end", read_now(trid).result == EINVAL);
    trid = create_quiet();
    CHECK("shutdown", "the next stream has nothing of it", read_now(trid).unavailable != 0);
    (void)posix_trace_shutdown(trid);
}

void suite_streams(void)
{
    check_creating();
    check_many();
    check_attributes();
    check_running();
    check_clearing();
    check_ending();
}
