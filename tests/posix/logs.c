/* Logs: streams that are flushed to a tape, and reading of tapes. */
#include <errno.h>
#include <string.h>
#include <trace.h>

#include "side.h"
#include "stream.h"

#define BYTES     4096u
#define LOG_BYTES 16384u
#define FEW       20
#define MANY      2000

static got_t read_log(trace_id_t trid)
{
    got_t got = {.unavailable = -1};
    got.result = posix_trace_getnext_event(trid, &got.info, got.data, sizeof got.data, &got.bytes,
                                           &got.unavailable);
    return got;
}

/* Events of type "suite one" in a log: count, first and last number, whether numbers are
 * consecutive. */
typedef struct counted {
    int events;
    int first;
    int last;
    bool in_order;
    trace_event_id_t last_type;
} counted_t;

static counted_t count_log(trace_id_t trid)
{
    counted_t counted = {.first = -1, .last = -1, .in_order = true};
    for (;;) {
        got_t got = read_log(trid);
        if (got.result != 0 || got.unavailable != 0) {
            return counted;
        }
        counted.last_type = got.info.posix_event_id;
        if (got.info.posix_event_id == event_one()) {
            int number = number_of(&got);
            counted.in_order =
                counted.in_order && (counted.events == 0 || number == counted.last + 1);
            counted.first = counted.events == 0 ? number : counted.first;
            counted.last = number;
            counted.events++;
        }
    }
}

static trace_id_t create_logged(int stream_policy, int log_policy, size_t log_bytes)
{
    trace_attr_t attr;
    trace_id_t trid = NO_TRID;
    (void)posix_trace_attr_init(&attr);
    (void)posix_trace_attr_setname(&attr, "logged \"one\"");
    (void)posix_trace_attr_setstreamsize(&attr, BYTES);
    (void)posix_trace_attr_setstreamfullpolicy(&attr, stream_policy);
    (void)posix_trace_attr_setlogfullpolicy(&attr, log_policy);
    (void)posix_trace_attr_setlogsize(&attr, log_bytes);
    (void)posix_trace_create_withlog(0, &attr, side_log(0), &trid);
    return trid;
}

static void check_creating(void)
{
    trace_attr_t attr;
    trace_attr_t got;
    trace_id_t trid = NO_TRID;
    int policy = -1;
    (void)posix_trace_attr_init(&attr);
    CHECK("create_withlog", "EBADF for what is not open for writing",
          posix_trace_create_withlog(0, &attr, side_no_log(), &trid) == EBADF);
    CHECK("create_withlog", "EBADF for no file",
          posix_trace_create_withlog(0, &attr, -1, &trid) == EBADF);
    CHECK("create_withlog", "EINVAL for no place",
          posix_trace_create_withlog(0, &attr, side_log(0), NULL) == EINVAL);
    CHECK("create_withlog", "ESRCH for no process",
          posix_trace_create_withlog(0x3ffffff, &attr, side_log(0), &trid) == ESRCH);
    CHECK("create_withlog", "returns 0",
          posix_trace_create_withlog(0, &attr, side_log(0), &trid) == 0);
    (void)posix_trace_get_attr(trid, &got);
    (void)posix_trace_attr_getstreamfullpolicy(&got, &policy);
    CHECK("create_withlog", "the default policy is FLUSH", policy == POSIX_TRACE_FLUSH);
    struct posix_trace_status_info status = status_of(trid);
    CHECK("create_withlog", "starts suspended",
          status.posix_stream_status == POSIX_TRACE_SUSPENDED);
    CHECK("create_withlog", "does not flush",
          status.posix_stream_flush_status == POSIX_TRACE_NOT_FLUSHING);
    CHECK("create_withlog", "its log is not full",
          status.posix_log_full_status == POSIX_TRACE_NOT_FULL);
    CHECK("create_withlog", "its log has no overrun",
          status.posix_log_overrun_status == POSIX_TRACE_NO_OVERRUN);
    CHECK("trygetnext_event", "EINVAL for a stream with log", read_now(trid).result == EINVAL);
    CHECK("shutdown", "returns 0 for one with log", posix_trace_shutdown(trid) == 0);
    (void)posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_LOOP);
    (void)posix_trace_create_withlog(0, &attr, side_log(0), &trid);
    (void)posix_trace_get_attr(trid, &got);
    (void)posix_trace_attr_getstreamfullpolicy(&got, &policy);
    CHECK("create_withlog", "a policy that was set counts", policy == POSIX_TRACE_LOOP);
    (void)posix_trace_shutdown(trid);
}

/* Write a log with START, FEW events and STOP. */
static void write_few(void)
{
    trace_id_t trid = create_logged(POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, LOG_BYTES);
    (void)posix_trace_start(trid);
    for (int i = 0; i < FEW; i++) {
        trace_number(i);
    }
    CHECK("flush", "returns 0", posix_trace_flush(trid) == 0);
    CHECK("get_status", "no flush error", status_of(trid).posix_stream_flush_error == 0);
    CHECK("get_status", "the flush is done",
          status_of(trid).posix_stream_flush_status == POSIX_TRACE_NOT_FLUSHING);
    CHECK("flush", "it keeps running", status_of(trid).posix_stream_status == POSIX_TRACE_RUNNING);
    CHECK("open", "EINVAL for a log that is being written",
          posix_trace_open(side_log(0), &(trace_id_t){0}) == EINVAL);
    CHECK("shutdown", "returns 0", posix_trace_shutdown(trid) == 0);
}

static void check_attributes(trace_id_t trid)
{
    trace_attr_t attr;
    char name[TRACE_NAME_MAX];
    struct timespec time = {0, 0};
    size_t size = 0;
    int number = -1;
    CHECK("get_attr", "returns 0 for a log", posix_trace_get_attr(trid, &attr) == 0);
    (void)posix_trace_attr_getname(&attr, name);
    CHECK("get_attr", "of a log: the name", strcmp(name, "logged \"one\"") == 0);
    (void)posix_trace_attr_getstreamfullpolicy(&attr, &number);
    CHECK("get_attr", "of a log: the stream's policy", number == POSIX_TRACE_UNTIL_FULL);
    (void)posix_trace_attr_getlogfullpolicy(&attr, &number);
    CHECK("get_attr", "of a log: its policy", number == POSIX_TRACE_APPEND);
    (void)posix_trace_attr_getstreamsize(&attr, &size);
    CHECK("get_attr", "of a log: the stream's size", size == BYTES);
    (void)posix_trace_attr_getlogsize(&attr, &size);
    CHECK("get_attr", "of a log: its size", size == LOG_BYTES);
    (void)posix_trace_attr_getcreatetime(&attr, &time);
    CHECK("get_attr", "of a log: when it was created", time.tv_sec + time.tv_nsec > 0);
    (void)posix_trace_attr_getclockres(&attr, &time);
    CHECK("get_attr", "of a log: the clock's resolution", time.tv_nsec > 0);
    struct posix_trace_status_info status = status_of(trid);
    CHECK("get_status", "of a log: suspended", status.posix_stream_status == POSIX_TRACE_SUSPENDED);
    CHECK("get_status", "of a log: no overrun",
          status.posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN);
    CHECK("eventid_get_name", "of a log: a user's event type",
          posix_trace_eventid_get_name(trid, event_one(), name) == 0 &&
              strcmp(name, "suite one") == 0);
    CHECK("eventid_get_name", "of a log: a predefined one",
          posix_trace_eventid_get_name(trid, POSIX_TRACE_STOP, name) == 0 &&
              strcmp(name, "posix_trace_stop") == 0);
    trace_event_id_t event;
    int unavailable = -1;
    CHECK("eventtypelist_rewind", "returns 0 for a log",
          posix_trace_eventtypelist_rewind(trid) == 0);
    CHECK("eventtypelist_getnext_id", "lists those of a log",
          posix_trace_eventtypelist_getnext_id(trid, &event, &unavailable) == 0 &&
              unavailable == 0);
    CHECK("eventid_equal", "works for a log", posix_trace_eventid_equal(trid, event, event) != 0);
}

static void check_refusals(trace_id_t trid)
{
    static const struct refusal_row {
        const char *function;
        int (*call)(trace_id_t trid);
    } rows[] = {
        {"start", posix_trace_start},       {"stop", posix_trace_stop},
        {"clear", posix_trace_clear},       {"flush", posix_trace_flush},
        {"shutdown", posix_trace_shutdown},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK(rows[i].function, "EINVAL for a log", rows[i].call(trid) == EINVAL);
    }
    trace_event_set_t set;
    trace_event_id_t event;
    struct timespec now;
    got_t got = {.unavailable = -1};
    side_now(&now);
    (void)posix_trace_eventset_empty(&set);
    CHECK("get_filter", "EINVAL for a log", posix_trace_get_filter(trid, &set) == EINVAL);
    CHECK("set_filter", "EINVAL for a log",
          posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET) == EINVAL);
    CHECK("trid_eventid_open", "EINVAL for a log",
          posix_trace_trid_eventid_open(trid, "x", &event) == EINVAL);
    CHECK("trygetnext_event", "EINVAL for a log", read_now(trid).result == EINVAL);
    CHECK("timedgetnext_event", "EINVAL for a log",
          posix_trace_timedgetnext_event(trid, &got.info, got.data, 4, &got.bytes, &got.unavailable,
                                         &now) == EINVAL);
}

static void check_reading(void)
{
    trace_id_t trid = NO_TRID;
    write_few();
    CHECK("open", "returns 0", posix_trace_open(side_log(0), &trid) == 0);
    check_attributes(trid);
    check_refusals(trid);
    got_t got = read_log(trid);
    CHECK("getnext_event", "of a log: START is the first",
          got.result == 0 && got.unavailable == 0 && got.info.posix_event_id == POSIX_TRACE_START);
    counted_t counted = count_log(trid);
    CHECK("getnext_event", "of a log: every event, in order",
          counted.events == FEW && counted.in_order && counted.first == 0);
    CHECK("getnext_event", "of a log: STOP is the last", counted.last_type == POSIX_TRACE_STOP);
    got = read_log(trid);
    CHECK("getnext_event", "of a log: then unavailable", got.result == 0 && got.unavailable != 0);
    CHECK("rewind", "returns 0", posix_trace_rewind(trid) == 0);
    CHECK("rewind", "reads it anew", count_log(trid).events == FEW);
    CHECK("close", "returns 0", posix_trace_close(trid) == 0);
    CHECK("close", "EINVAL the second time", posix_trace_close(trid) == EINVAL);
    CHECK("getnext_event", "EINVAL for a log that was closed", read_log(trid).result == EINVAL);
    CHECK("rewind", "EINVAL for a log that was closed", posix_trace_rewind(trid) == EINVAL);
    CHECK("open", "EINVAL for what is not a log", posix_trace_open(side_no_log(), &trid) == EINVAL);
    CHECK("open", "EINVAL for no place", posix_trace_open(side_log(0), NULL) == EINVAL);
}

/* Trace MANY events, flushing often, and open the log. */
static trace_id_t write_many(int log_policy, struct posix_trace_status_info *status)
{
    trace_id_t trid = create_logged(POSIX_TRACE_UNTIL_FULL, log_policy, LOG_BYTES);
    filter_all_system_but(trid, NULL, 0);
    (void)posix_trace_start(trid);
    for (int i = 0; i < MANY; i++) {
        trace_number(i);
        if (i % 32 == 31) {
            (void)posix_trace_flush(trid);
        }
    }
    *status = status_of(trid);
    (void)posix_trace_shutdown(trid);
    trid = NO_TRID;
    (void)posix_trace_open(side_log(0), &trid);
    return trid;
}

static void check_policies(void)
{
    static const struct policy_row {
        const char *what;
        int policy;
        bool first; /* whether the log contains the first event */
        bool last;
        bool full;
    } rows[] = {
        {"APPEND: all events", POSIX_TRACE_APPEND, true, true, false},
        {"UNTIL_FULL: the oldest events", POSIX_TRACE_UNTIL_FULL, true, false, true},
        {"LOOP: the newest events", POSIX_TRACE_LOOP, false, true, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct posix_trace_status_info status;
        trace_id_t trid = write_many(rows[i].policy, &status);
        counted_t counted = count_log(trid);
        CHECK("create_withlog", rows[i].what,
              (counted.first == 0) == rows[i].first && (counted.last == MANY - 1) == rows[i].last);
        CHECK("create_withlog", "and those without gap", counted.in_order && counted.events > 0);
        CHECK("create_withlog", "UNTIL_FULL: STOP is the last",
              (counted.last_type == POSIX_TRACE_STOP) ==
                  (rows[i].policy == POSIX_TRACE_UNTIL_FULL));
        CHECK("get_status", "the log is full or not",
              (status.posix_log_full_status == POSIX_TRACE_FULL) == rows[i].full);
        CHECK("get_status", "the log has lost events or not",
              (status.posix_log_overrun_status == POSIX_TRACE_OVERRUN) == rows[i].full);
        (void)posix_trace_close(trid);
    }
}

static void check_flushing(void)
{
    trace_id_t trid = create_logged(POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, LOG_BYTES);
    const trace_event_id_t told[] = {POSIX_TRACE_FLUSH_START, POSIX_TRACE_FLUSH_STOP};
    filter_all_system_but(trid, told, 2);
    (void)posix_trace_start(trid);
    trace_number(1);
    (void)posix_trace_flush(trid);
    trace_number(2);
    (void)posix_trace_shutdown(trid);
    (void)posix_trace_open(side_log(0), &trid);
    static const trace_event_id_t after_one[] = {POSIX_TRACE_FLUSH_START, POSIX_TRACE_FLUSH_STOP};
    got_t got = read_log(trid);
    CHECK("flush", "what came before", number_of(&got) == 1);
    for (size_t i = 0; i < 2u; i++) {
        got = read_log(trid);
        CHECK("flush", "records its begin and end", got.info.posix_event_id == after_one[i]);
    }
    got = read_log(trid);
    CHECK("flush", "what came afterwards", number_of(&got) == 2);
    (void)posix_trace_close(trid);
}

static void check_clearing(void)
{
    trace_id_t trid = create_logged(POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, LOG_BYTES);
    filter_all_system_but(trid, NULL, 0);
    (void)posix_trace_start(trid);
    trace_number(1);
    (void)posix_trace_flush(trid);
    trace_number(2);
    CHECK("clear", "returns 0 for a stream with log", posix_trace_clear(trid) == 0);
    trace_number(3);
    (void)posix_trace_shutdown(trid);
    (void)posix_trace_open(side_log(0), &trid);
    counted_t counted = count_log(trid);
    CHECK("clear", "the log begins anew", counted.events == 1 && counted.first == 3);
    (void)posix_trace_close(trid);
}

/* A stream with policy FLUSH flushes itself. */
static void check_itself(void)
{
    trace_id_t trid = create_logged(POSIX_TRACE_FLUSH, POSIX_TRACE_APPEND, LOG_BYTES);
    filter_all_system_but(trid, NULL, 0);
    (void)posix_trace_start(trid);
    for (int i = 0; i < MANY; i++) {
        trace_number(i);
        if (i % 32 == 31) {
            side_sleep(10);
        }
    }
    CHECK("get_status", "FLUSH: runs on",
          status_of(trid).posix_stream_status == POSIX_TRACE_RUNNING);
    CHECK("get_status", "FLUSH: nothing was lost",
          status_of(trid).posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN);
    (void)posix_trace_shutdown(trid);
    (void)posix_trace_open(side_log(0), &trid);
    counted_t counted = count_log(trid);
    CHECK("create_withlog", "FLUSH: brings all events to the log",
          counted.events == MANY && counted.in_order);
    (void)posix_trace_close(trid);
}

/* Two streams log the same events at the same time. */
static void check_two(void)
{
    trace_id_t trids[2];
    for (int i = 0; i < 2; i++) {
        (void)posix_trace_create_withlog(0, NULL, side_log(i), &trids[i]);
        filter_all_system_but(trids[i], NULL, 0);
        (void)posix_trace_start(trids[i]);
    }
    for (int i = 0; i < FEW; i++) {
        trace_number(i);
    }
    for (int i = 0; i < 2; i++) {
        (void)posix_trace_shutdown(trids[i]);
    }
    for (int i = 0; i < 2; i++) {
        (void)posix_trace_open(side_log(i), &trids[i]);
    }
    CHECK("open", "two logs have two identifiers", trids[0] != trids[1]);
    for (int i = 0; i < 2; i++) {
        CHECK("open", "each has all events", count_log(trids[i]).events == FEW);
        (void)posix_trace_close(trids[i]);
    }
}

void suite_logs(void)
{
    check_creating();
    check_reading();
    check_policies();
    check_flushing();
    check_clearing();
    check_itself();
    check_two();
}
