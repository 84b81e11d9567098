/*
 * A poll that comes too late. If the port has 64 bits of time, the poll is reported and time stays
 * correct. Otherwise it is not reported and time loses a period: the limit that tickertape.h
 * states.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ring.h"
#include "step_port.h"
#include "tickertape/emitters.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

#define PERIOD (UINT64_C(1) << 32)

static void expect(int64_t actual, int64_t expected, const char *what, int line)
{
    if (actual != expected) {
        printf("line %d: %s is %" PRId64 ", expected %" PRId64 "\n", line, what, actual, expected);
        exit(1);
    }
}

#define EXPECT_EQUAL(actual, expected)                                                             \
    expect((int64_t)(actual), (int64_t)(expected), #actual, __LINE__)

/* Count records of an event type in the open buffer; stores the words of the last one. */
static uint32_t count(uint32_t event_class, uint32_t event, uint32_t words[2])
{
    const tt_ring_t *ring = &tt_rings[0][0];
    uint32_t found = 0;
    for (const tt_record_t *record = ring->base; record < ring->cursor; record++) {
        if (tt_record_class(record->header) == event_class &&
            (record->header & TT_RECORD_EVENT_MASK) == event) {
            words[0] = record->data[0];
            words[1] = record->data[1];
            found++;
        }
    }
    return found;
}

#ifdef TT_PORT_HAS_TIME
/* Poll `late` ticks after the last poll; the report contains the whole periods in between. */
static void expect_report(uint64_t late)
{
    uint32_t words[2] = {0, 0};
    uint32_t before = count(TT_CLASS_TRACER, TT_TRACER_ERROR, words);
    step_port.now_ticks += late;
    tt_clock_poll();
    uint32_t reported = count(TT_CLASS_TRACER, TT_TRACER_ERROR, words) - before;
    EXPECT_EQUAL(reported, late >= PERIOD);
    EXPECT_EQUAL(reported == 0u ? 0u : words[1], late / PERIOD);
    EXPECT_EQUAL(tt_clock_now(), step_port.now_ticks);
}
#endif

int main(void)
{
    static const tt_target_t target = {.name = "late_poll_driver", .tick_hz = 600000000};
    uint32_t words[2] = {0, 0};
    step_port.step_ticks = 0;
    EXPECT_EQUAL(tt_init(&target, &step_port_link), TT_OK);
    EXPECT_EQUAL(tt_select_class(0, TT_CLASS_USER, true), TT_OK);
    EXPECT_EQUAL(tt_select_class(0, TT_CLASS_TRACER, true), TT_OK);
    EXPECT_EQUAL(tt_start_without_state(0), TT_OK);
    tt_emit_user_user(1, 2, 3);
    for (uint32_t i = 0; i < 16u; i++) {
        step_port.now_ticks += PERIOD / 4u;
        tt_clock_poll();
    }
    EXPECT_EQUAL(count(TT_CLASS_TRACER, TT_TRACER_ERROR, words), 0);
    EXPECT_EQUAL(count(TT_CLASS_CONTROL, TT_CONTROL_TIME, words), 8);
    EXPECT_EQUAL(tt_clock_now(), step_port.now_ticks);
    step_port.now_ticks += 2u * PERIOD + PERIOD / 4u;
    tt_clock_poll();
    uint32_t reported = count(TT_CLASS_TRACER, TT_TRACER_ERROR, words);
#ifdef TT_PORT_HAS_TIME
    EXPECT_EQUAL(reported, 1);
    EXPECT_EQUAL((int32_t)words[0], TT_ERROR_LATE);
    EXPECT_EQUAL(words[1], 2);
    EXPECT_EQUAL(tt_clock_now(), step_port.now_ticks);
#else
    EXPECT_EQUAL(reported, 0);
    EXPECT_EQUAL(tt_clock_now(), step_port.now_ticks - 2u * PERIOD);
#endif
    tt_clock_poll();
    EXPECT_EQUAL(count(TT_CLASS_TRACER, TT_TRACER_ERROR, words), reported);
#ifdef TT_PORT_HAS_TIME
    expect_report(PERIOD - 1u);
    expect_report(PERIOD);
    expect_report(PERIOD + 1u);
    expect_report(3u * PERIOD);
#endif
    return 0;
}
