/* User events: their data, and the streams that record them. */
#include <string.h>
#include <trace.h>

#include "side.h"
#include "stream.h"

#define LIMIT 20u

static const size_t lengths[] = {0,  1,  2,  3,  4,  5,  7,   8,   9,  12,
                                 13, 16, 17, 31, 32, 64, 100, 255, 256};

static void check_data(void)
{
    char data[DATA_BYTES];
    trace_id_t trid = create_quiet();
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (char)(i * 7u + 1u);
    }
    (void)posix_trace_start(trid);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        posix_trace_event(event_one(), data, lengths[i]);
        got_t got = read_now(trid);
        CHECK("event", "its data come back byte for byte",
              got.unavailable == 0 && got.bytes == lengths[i] &&
                  memcmp(got.data, data, lengths[i]) == 0);
        CHECK("event", "they are not cut",
              got.info.posix_truncation_status == POSIX_TRACE_NOT_TRUNCATED);
    }
    posix_trace_event(event_one(), NULL, 0);
    got_t got = read_now(trid);
    CHECK("event", "no data, and no address of any", got.unavailable == 0 && got.bytes == 0u);
    (void)posix_trace_shutdown(trid);
}

static void check_cutting(void)
{
    char data[DATA_BYTES];
    trace_id_t trid = NO_TRID;
    trace_attr_t attr;
    memset(data, 'd', sizeof data);
    (void)posix_trace_attr_init(&attr);
    (void)posix_trace_attr_setmaxdatasize(&attr, LIMIT);
    (void)posix_trace_create(0, &attr, &trid);
    filter_all_system_but(trid, NULL, 0);
    (void)posix_trace_start(trid);
    posix_trace_event(event_one(), data, LIMIT);
    posix_trace_event(event_one(), data, LIMIT + 1u);
    posix_trace_event(event_one(), data, LIMIT + 1u);
    posix_trace_event(event_one(), data, LIMIT - 1u);
    got_t got = read_now(trid);
    CHECK("event", "max-data-size bytes are not too many",
          got.bytes == LIMIT && got.info.posix_truncation_status == POSIX_TRACE_NOT_TRUNCATED);
    got = read_now(trid);
    CHECK("event", "more are cut when they are recorded",
          got.bytes == LIMIT && got.info.posix_truncation_status == POSIX_TRACE_TRUNCATED_RECORD);
    int unavailable = -1;
    size_t bytes = 0;
    (void)posix_trace_trygetnext_event(trid, &got.info, got.data, 4, &bytes, &unavailable);
    CHECK("trygetnext_event", "cut when read stands for cut when recorded",
          bytes == 4u && got.info.posix_truncation_status == POSIX_TRACE_TRUNCATED_READ);
    memset(got.data, 'z', sizeof got.data);
    (void)posix_trace_trygetnext_event(trid, &got.info, got.data, 4, &bytes, &unavailable);
    CHECK("trygetnext_event", "data longer than the place are cut",
          bytes == 4u && memcmp(got.data, "dddd", 4) == 0 &&
              got.info.posix_truncation_status == POSIX_TRACE_TRUNCATED_READ);
    CHECK("trygetnext_event", "nothing is written after the place", got.data[4] == 'z');
    (void)posix_trace_shutdown(trid);
}

static void check_origin(void)
{
    trace_id_t trid = create_quiet();
    struct timespec before;
    struct timespec after;
    (void)posix_trace_start(trid);
    side_now(&before);
    trace_number(1);
    trace_number(2);
    side_now(&after);
    got_t first = read_now(trid);
    got_t second = read_now(trid);
    CHECK("event", "its event type", first.info.posix_event_id == event_one());
    CHECK("event", "it has a process", first.info.posix_pid != 0);
    CHECK("event", "it has a thread", first.info.posix_thread_id != 0);
    CHECK("event", "the same thread the second time",
          first.info.posix_thread_id == second.info.posix_thread_id);
    CHECK("event", "who called", first.info.posix_prog_address != NULL);
    CHECK("event", "the same place the second time",
          first.info.posix_prog_address == second.info.posix_prog_address);
    const struct timespec *times[] = {&before, &first.info.posix_timestamp,
                                      &second.info.posix_timestamp, &after};
    bool ascending = true;
    for (int i = 0; i < 3; i++) {
        /* Time stamps have the resolution of the stream's clock. */
        long long step = (times[i + 1]->tv_sec - times[i]->tv_sec) * 1000000000LL +
                         times[i + 1]->tv_nsec - times[i]->tv_nsec;
        ascending = ascending && step > -1000LL;
    }
    CHECK("event", "its time is when it was", ascending);
    (void)posix_trace_shutdown(trid);
}

static void check_streams(void)
{
    trace_id_t trids[TRACE_SYS_MAX];
    for (int i = 0; i < TRACE_SYS_MAX; i++) {
        trids[i] = create_quiet();
        if (i % 2 == 0) {
            (void)posix_trace_start(trids[i]);
        }
    }
    trace_number(77);
    for (int i = 0; i < TRACE_SYS_MAX; i++) {
        got_t got = read_now(trids[i]);
        CHECK("event", "every stream that runs has it, no other",
              (got.unavailable == 0) == (i % 2 == 0) && (i % 2 != 0 || number_of(&got) == 77));
    }
    for (int i = 0; i < TRACE_SYS_MAX; i++) {
        (void)posix_trace_shutdown(trids[i]);
    }
}

/* Streams with different limits truncate one event differently. */
static void check_limits(void)
{
    trace_id_t trids[3];
    trace_attr_t attr;
    char data[64];
    memset(data, 'q', sizeof data);
    (void)posix_trace_attr_init(&attr);
    for (size_t i = 0; i < 3u; i++) {
        (void)posix_trace_attr_setmaxdatasize(&attr, 10u + 10u * i);
        (void)posix_trace_create(0, &attr, &trids[i]);
        filter_all_system_but(trids[i], NULL, 0);
        (void)posix_trace_start(trids[i]);
    }
    posix_trace_event(event_one(), data, 25);
    for (size_t i = 0; i < 3u; i++) {
        size_t wanted = 10u + 10u * i < 25u ? 10u + 10u * i : 25u;
        got_t got = read_now(trids[i]);
        CHECK("event", "each stream cuts at its own limit",
              got.bytes == wanted && (got.info.posix_truncation_status ==
                                      POSIX_TRACE_TRUNCATED_RECORD) == (wanted < 25u));
        (void)posix_trace_shutdown(trids[i]);
    }
}

static void check_nothing(void)
{
    static const trace_event_id_t wrong[] = {-1, 0, POSIX_TRACE_START, 17, 64, 100000};
    trace_id_t trid = create_quiet();
    (void)posix_trace_start(trid);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        posix_trace_event(wrong[i], "data", 4);
        CHECK("event", "no effect for what is not an event type of a user",
              read_now(trid).unavailable != 0);
    }
    posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, "data", 4);
    got_t got = read_now(trid);
    CHECK("event", "the unnamed event type is one of a user",
          got.info.posix_event_id == POSIX_TRACE_UNNAMED_USEREVENT && got.bytes == 4u);
    (void)posix_trace_shutdown(trid);
    trace_number(5);
    trid = create_quiet();
    CHECK("event", "no effect without a stream", read_now(trid).unavailable != 0);
    (void)posix_trace_shutdown(trid);
}

void suite_events(void)
{
    check_data();
    check_cutting();
    check_origin();
    check_streams();
    check_limits();
    check_nothing();
}
