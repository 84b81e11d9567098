/* Full streams, by policy. */
#include <trace.h>

#include "side.h"
#include "stream.h"

#define BYTES 4096u

/* More events than a stream of this size can hold. */
#define MANY 4000

static size_t event_bytes(void)
{
    trace_attr_t attr;
    size_t bytes = 0;
    (void)posix_trace_attr_init(&attr);
    (void)posix_trace_attr_getmaxusereventsize(&attr, sizeof(int), &bytes);
    return bytes;
}

static void check_guarantee(int policy)
{
    trace_id_t trid = create_sized(policy, BYTES);
    filter_all_system_but(trid, NULL, 0);
    (void)posix_trace_start(trid);
    int fits = (int)(BYTES / event_bytes());
    for (int i = 0; i < fits; i++) {
        trace_number(i);
    }
    CHECK("attr_setstreamsize", "so much is kept without loss",
          status_of(trid).posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN);
    CHECK("attr_setstreamsize", "all of it", count_events(trid, event_one()) == fits);
    (void)posix_trace_shutdown(trid);
}

static void check_loop(void)
{
    const trace_event_id_t told[] = {POSIX_TRACE_OVERFLOW, POSIX_TRACE_RESUME};
    trace_id_t trid = create_sized(POSIX_TRACE_LOOP, BYTES);
    filter_all_system_but(trid, told, 2);
    (void)posix_trace_start(trid);
    for (int i = 0; i < MANY; i++) {
        trace_number(i);
    }
    struct posix_trace_status_info status = status_of(trid);
    CHECK("get_status", "LOOP: goes on running", status.posix_stream_status == POSIX_TRACE_RUNNING);
    CHECK("get_status", "LOOP: full", status.posix_stream_full_status == POSIX_TRACE_FULL);
    CHECK("get_status", "LOOP: overrun", status.posix_stream_overrun_status == POSIX_TRACE_OVERRUN);
    CHECK("get_status", "reading resets overrun",
          status_of(trid).posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN);
    got_t overflow = read_now(trid);
    got_t resume = read_now(trid);
    got_t first = read_now(trid);
    CHECK("getnext_event", "OVERFLOW comes first",
          overflow.info.posix_event_id == POSIX_TRACE_OVERFLOW && overflow.bytes == 0u);
    CHECK("getnext_event", "then RESUME",
          resume.info.posix_event_id == POSIX_TRACE_RESUME && resume.bytes == 0u);
    CHECK("getnext_event", "RESUME has the time of the first event after it",
          resume.info.posix_timestamp.tv_sec == first.info.posix_timestamp.tv_sec &&
              resume.info.posix_timestamp.tv_nsec == first.info.posix_timestamp.tv_nsec);
    CHECK("getnext_event", "OVERFLOW is not later",
          overflow.info.posix_timestamp.tv_sec < resume.info.posix_timestamp.tv_sec ||
              overflow.info.posix_timestamp.tv_nsec <= resume.info.posix_timestamp.tv_nsec);
    int expected = number_of(&first) + 1;
    bool in_order = expected > 1;
    for (; expected < MANY; expected++) {
        got_t got = read_now(trid);
        in_order = in_order && got.unavailable == 0 && number_of(&got) == expected;
    }
    CHECK("getnext_event", "the newest events are kept, in order", in_order);
    CHECK("getnext_event", "up to the last", read_now(trid).unavailable != 0);
    CHECK("get_status", "LOOP: not full once it was read",
          status_of(trid).posix_stream_full_status == POSIX_TRACE_NOT_FULL);
    (void)posix_trace_shutdown(trid);
}

static void check_until_full(void)
{
    const trace_event_id_t told[] = {POSIX_TRACE_START, POSIX_TRACE_STOP};
    trace_id_t trid = create_sized(POSIX_TRACE_UNTIL_FULL, BYTES);
    filter_all_system_but(trid, told, 2);
    (void)posix_trace_start(trid);
    for (int i = 0; i < MANY; i++) {
        trace_number(i);
    }
    struct posix_trace_status_info status = status_of(trid);
    CHECK("get_status", "UNTIL_FULL: suspended",
          status.posix_stream_status == POSIX_TRACE_SUSPENDED);
    CHECK("get_status", "UNTIL_FULL: full", status.posix_stream_full_status == POSIX_TRACE_FULL);
    CHECK("get_status", "UNTIL_FULL: overrun",
          status.posix_stream_overrun_status == POSIX_TRACE_OVERRUN);
    CHECK("get_status", "reset by reading",
          status_of(trid).posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN);
    trace_number(MANY);
    CHECK("get_status", "and set by the next event that is lost",
          status_of(trid).posix_stream_overrun_status == POSIX_TRACE_OVERRUN);
    side_sleep(100); /* the drain updates the routes of the stopped stream */
    trace_number(MANY);
    CHECK("get_status", "and by one that is lost later",
          status_of(trid).posix_stream_overrun_status == POSIX_TRACE_OVERRUN);
    CHECK("start", "returns 0 while it is full", posix_trace_start(trid) == 0);
    CHECK("stop", "returns 0 while it is full", posix_trace_stop(trid) == 0);
    got_t got = read_now(trid);
    CHECK("start", "comes first", got.info.posix_event_id == POSIX_TRACE_START);
    int expected = 0;
    for (got = read_now(trid); got.info.posix_event_id == event_one(); got = read_now(trid)) {
        if (number_of(&got) != expected) {
            break;
        }
        expected++;
    }
    CHECK("getnext_event", "the oldest events are kept, in order",
          expected >= (int)(BYTES / event_bytes()) && expected < MANY);
    CHECK("stop", "comes after the last, once", got.info.posix_event_id == POSIX_TRACE_STOP);
    CHECK("stop", "and was automatic", got.bytes == sizeof(int) && number_of(&got) != 0);
    CHECK("get_status", "it runs again when it was read",
          status_of(trid).posix_stream_status == POSIX_TRACE_RUNNING);
    CHECK("get_status", "and is not full",
          status_of(trid).posix_stream_full_status == POSIX_TRACE_NOT_FULL);
    trace_number(99);
    got = read_now(trid);
    CHECK("start", "comes before the next event", got.info.posix_event_id == POSIX_TRACE_START);
    got = read_now(trid);
    CHECK("event", "recorded again", number_of(&got) == 99);
    (void)posix_trace_shutdown(trid);
}

static void check_clearing(int policy)
{
    trace_id_t trid = create_sized(policy, BYTES);
    filter_all_system_but(trid, NULL, 0);
    (void)posix_trace_start(trid);
    for (int i = 0; i < MANY; i++) {
        trace_number(i);
    }
    (void)posix_trace_clear(trid);
    struct posix_trace_status_info status = status_of(trid);
    CHECK("clear", "a full stream is not full",
          status.posix_stream_full_status == POSIX_TRACE_NOT_FULL);
    CHECK("clear", "has no overrun", status.posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN);
    CHECK("clear", "one that stopped itself stays suspended, another one runs",
          (status.posix_stream_status == POSIX_TRACE_RUNNING) == (policy == POSIX_TRACE_LOOP));
    (void)posix_trace_start(trid);
    trace_number(5);
    got_t got = read_now(trid);
    CHECK("clear", "what comes next is the first", number_of(&got) == 5);
    (void)posix_trace_shutdown(trid);
}

/* A reader that keeps up loses no event, however many there are. */
static void check_keeping_up(void)
{
    trace_id_t trid = create_sized(POSIX_TRACE_LOOP, BYTES);
    filter_all_system_but(trid, NULL, 0);
    (void)posix_trace_start(trid);
    bool all = true;
    for (int i = 0; i < MANY; i++) {
        trace_number(i);
        got_t got = read_now(trid);
        all = all && got.unavailable == 0 && number_of(&got) == i;
    }
    CHECK("trygetnext_event", "who keeps up misses nothing", all);
    CHECK("get_status", "and there is no overrun",
          status_of(trid).posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN);
    (void)posix_trace_shutdown(trid);
}

void suite_full(void)
{
    check_guarantee(POSIX_TRACE_LOOP);
    check_guarantee(POSIX_TRACE_UNTIL_FULL);
    check_loop();
    check_until_full();
    check_clearing(POSIX_TRACE_LOOP);
    check_clearing(POSIX_TRACE_UNTIL_FULL);
    check_keeping_up();
}
