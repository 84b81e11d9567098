/* The three functions that read events, on active streams. */
#include <errno.h>
#include <trace.h>

#include "side.h"
#include "stream.h"

#define WAIT_MS 60

static trace_id_t waited_for;
static got_t waited;

static got_t read_waiting(trace_id_t trid)
{
    got_t got = {.unavailable = -1};
    got.result = posix_trace_getnext_event(trid, &got.info, got.data, sizeof got.data, &got.bytes,
                                           &got.unavailable);
    return got;
}

static got_t read_until(trace_id_t trid, const struct timespec *until)
{
    got_t got = {.unavailable = -1};
    got.result = posix_trace_timedgetnext_event(trid, &got.info, got.data, sizeof got.data,
                                                &got.bytes, &got.unavailable, until);
    return got;
}

static struct timespec in_ms(int ms)
{
    struct timespec time;
    side_now(&time);
    time.tv_nsec += ms % 1000 * 1000000L;
    time.tv_sec += ms / 1000 + time.tv_nsec / 1000000000L;
    time.tv_nsec %= 1000000000L;
    return time;
}

static void check_without_waiting(void)
{
    trace_id_t trid = create_quiet();
    got_t got = read_now(trid);
    CHECK("trygetnext_event", "0 and unavailable when there is none",
          got.result == 0 && got.unavailable != 0);
    (void)posix_trace_start(trid);
    trace_number(1);
    trace_number(2);
    got = read_now(trid);
    CHECK("trygetnext_event", "the oldest first",
          got.result == 0 && got.unavailable == 0 && number_of(&got) == 1);
    got = read_now(trid);
    CHECK("trygetnext_event", "each once", number_of(&got) == 2);
    CHECK("trygetnext_event", "and then none", read_now(trid).unavailable != 0);
    CHECK("trygetnext_event", "EINVAL for no stream", read_now(NO_TRID).result == EINVAL);
    size_t bytes;
    int unavailable;
    CHECK("trygetnext_event", "EINVAL for no place",
          posix_trace_trygetnext_event(trid, NULL, NULL, 0, &bytes, &unavailable) == EINVAL);
    trace_number(3);
    int result = posix_trace_trygetnext_event(trid, &got.info, NULL, 0, &bytes, &unavailable);
    CHECK("trygetnext_event", "no place for data is enough for an event without",
          result == 0 && unavailable == 0 && bytes == 0u &&
              got.info.posix_truncation_status == POSIX_TRACE_TRUNCATED_READ);
    (void)posix_trace_shutdown(trid);
}

static void check_times(void)
{
    trace_id_t trid = create_quiet();
    struct timespec before = in_ms(0);
    struct timespec until = in_ms(WAIT_MS);
    got_t got = read_until(trid, &until);
    struct timespec after = in_ms(0);
    CHECK("timedgetnext_event", "ETIMEDOUT when there is none", got.result == ETIMEDOUT);
    CHECK("timedgetnext_event", "not before that time",
          after.tv_sec > until.tv_sec ||
              (after.tv_sec == until.tv_sec && after.tv_nsec >= until.tv_nsec));
    got = read_until(trid, &before);
    CHECK("timedgetnext_event", "at once for a time that has passed", got.result == ETIMEDOUT);
    const struct timespec wrong[] = {{0, -1}, {0, 1000000000}};
    for (size_t i = 0; i < 2u; i++) {
        CHECK("timedgetnext_event", "EINVAL for what is not a time",
              read_until(trid, &wrong[i]).result == EINVAL);
    }
    (void)posix_trace_start(trid);
    trace_number(1);
    trace_number(2);
    trace_number(3);
    got = read_until(trid, &before);
    CHECK("timedgetnext_event", "an event that is there counts more than the time",
          got.result == 0 && number_of(&got) == 1);
    got = read_until(trid, &wrong[0]);
    CHECK("timedgetnext_event", "whatever time that is", got.result == 0 && number_of(&got) == 2);
    CHECK("timedgetnext_event", "EINVAL for no time", read_until(trid, NULL).result == EINVAL);
    CHECK("timedgetnext_event", "EINVAL for no stream",
          read_until(NO_TRID, &before).result == EINVAL);
    got = read_waiting(trid);
    CHECK("getnext_event", "at once when there is one",
          got.result == 0 && got.unavailable == 0 && number_of(&got) == 3);
    CHECK("getnext_event", "EINVAL for no stream", read_waiting(NO_TRID).result == EINVAL);
    (void)posix_trace_shutdown(trid);
}

static void wait_for_it(void)
{
    waited = read_waiting(waited_for);
}

static void wait_with_time(void)
{
    struct timespec until = in_ms(60000);
    waited = read_until(waited_for, &until);
}

static void check_waiting(const char *function, void (*wait)(void))
{
    trace_id_t trid = create_quiet();
    (void)posix_trace_start(trid);
    waited_for = trid;
    waited = (got_t){.result = -1};
    side_begin(wait);
    side_sleep(WAIT_MS);
    CHECK(function, "waits while there is none", waited.result == -1);
    trace_number(42);
    side_end();
    CHECK(function, "goes on with the event",
          waited.result == 0 && waited.unavailable == 0 && number_of(&waited) == 42);
    waited = (got_t){.result = -1};
    side_begin(wait);
    side_sleep(WAIT_MS);
    (void)posix_trace_shutdown(trid);
    side_end();
    CHECK(function, "goes on with EINVAL when the stream ends", waited.result == EINVAL);
}

void suite_reading(void)
{
    check_without_waiting();
    check_times();
    check_waiting("getnext_event", wait_for_it);
    check_waiting("timedgetnext_event", wait_with_time);
}
