/*
 * Readers on the target, compared with an independent count: they get all offered records in order,
 * except those counted as lost. The law of loss holds at every step, for the reader (read, lost,
 * waiting) and for a host (overwritten includes read records). The reader takes buffers while the
 * ring is filled, and releases them whole, in part, or later.
 */
#include <string.h>

#include "plain_port.h"
#include "ring.h"
#include "tickertape/emitters.h"
#include "tickertape/read.h"
#include "tickertape/tickertape.h"

#define STEPS 20000u
#define MOST  (2u * TT_CONFIG_BUFFER_RECORDS)

static uint64_t offered;
static uint64_t seen;    /* records that the reader has read */
static uint64_t missing; /* records that the reader knows to be lost */
static uint64_t random_state;
static bool taken;
static tt_reading_t reading;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

static void begin(tt_policy_t policy, uint32_t buffers)
{
    static const tt_target_t target = {.name = "read_driver", .tick_hz = 1000000};
    offered = 0;
    seen = 0;
    missing = 0;
    taken = false;
    plain_port.step_ticks = 1;
    EXPECT_EQUAL(tt_init(&target, &plain_port_closed_link), TT_OK);
    EXPECT_EQUAL(tt_pause_drain(0, true), TT_OK);
    EXPECT_EQUAL(tt_set_policy(0, policy), TT_OK);
    EXPECT_EQUAL(tt_set_buffers(0, buffers), TT_OK);
    EXPECT_EQUAL(tt_select_class(0, TT_CLASS_USER, true), TT_OK);
    EXPECT_EQUAL(tt_selected(0, TT_CLASS_USER, 5), true);
    EXPECT_EQUAL(tt_selected(0, TT_CLASS_SCHED, 1), false);
    EXPECT_EQUAL(tt_start_without_state(0), TT_OK);
}

static uint64_t waiting(void)
{
    uint64_t records = 0;
    const tt_ring_t *ring = &tt_rings[0][0];
    for (uint32_t i = 0; i < TT_CONFIG_BUFFERS; i++) {
        if ((ring->buffers[i].tag & 3u) == TT_BUFFER_FULL) {
            records += ring->buffers[i].count;
        }
    }
    return records + (uint64_t)(ring->cursor - ring->base);
}

static void check_law(void)
{
    tt_ring_status_t status;
    EXPECT_EQUAL(tt_ring_status(0, 0, &status), TT_OK);
    uint64_t held = taken ? reading.count : 0u;
    EXPECT_EQUAL(status.offered, offered);
    EXPECT_EQUAL(status.sent, 0);
    EXPECT_EQUAL(status.offered, status.overwritten + status.dropped + waiting() + held);
    EXPECT_EQUAL(status.read, seen);
    tt_wire_class_counters_t counters;
    EXPECT_EQUAL(tt_class_status(0, 0, TT_CLASS_USER, &counters), TT_OK);
    EXPECT_EQUAL(counters.sent, 0);
}

/* Check that each record of the buffer contains its ordinal. */
static void check_buffer(void)
{
    tt_ring_status_t status;
    EXPECT_EQUAL(tt_ring_status(0, 0, &status), TT_OK);
    EXPECT_EQUAL(reading.header.count, reading.count);
    EXPECT_EQUAL(reading.header.ticks, reading.ticks);
    for (uint32_t i = 0; i < reading.count; i++) {
        EXPECT_EQUAL(reading.records[i].data[0], (uint32_t)reading.header.first_ordinal + i);
    }
    if (reading.overwritten_count != 0u) {
        EXPECT_EQUAL(reading.lost_ticks <= reading.ticks, true);
    }
}

static void give_back(void)
{
    uint32_t count = random_below(3) == 0u ? random_below(reading.count + 1u) : reading.count;
    tt_release_buffer(0, &reading, count);
    seen += count;
    missing += reading.count - count;
    taken = false;
}

static void take(void)
{
    uint64_t next = seen + missing;
    taken = tt_acquire_buffer(0, &reading);
    if (taken) {
        check_buffer();
        uint64_t gap = reading.header.first_ordinal - next;
        EXPECT_EQUAL(gap >= reading.overwritten_count, true); /* the rest was dropped */
        missing += gap;
    } else {
        EXPECT_EQUAL(waiting(), 0);
    }
}

static void run(tt_policy_t policy, uint32_t buffers)
{
    begin(policy, buffers);
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t count = random_below(MOST);
        for (uint32_t i = 0; i < count; i++) {
            tt_emit_user_user(1, (uint32_t)offered, 0);
            offered++;
        }
        for (uint32_t i = random_below(4); i > 0u; i--) {
            if (taken) {
                give_back();
            } else {
                take();
            }
        }
        check_law();
    }
    do { /* until the ring is empty */
        if (taken) {
            give_back();
        }
        take();
    } while (taken);
    tt_ring_status_t status;
    EXPECT_EQUAL(tt_ring_status(0, 0, &status), TT_OK);
    EXPECT_EQUAL(status.offered, status.overwritten + status.dropped);
    EXPECT_EQUAL(status.offered - status.dropped - (status.overwritten - status.read), seen);
    EXPECT_EQUAL(tt_buffers_in_use(0), 0);
    EXPECT_EQUAL(tt_buffers(0), buffers);
}

/* A stream that stopped because it was full reports the time. */
static void run_until_full(void)
{
    begin(TT_POLICY_UNTIL_FULL, 2);
    tt_ring_status_t status;
    do {
        tt_emit_user_user(1, (uint32_t)offered, 0);
        offered++;
        EXPECT_EQUAL(tt_ring_status(0, 0, &status), TT_OK);
    } while (status.running);
    EXPECT_EQUAL(status.dropped, 1);
    EXPECT_EQUAL(tt_full_ticks(0) <= tt_clock_now(), true);
    EXPECT_EQUAL(tt_full_ticks(0) > 0u, true);
    EXPECT_EQUAL(tt_set_buffers(0, TT_CONFIG_BUFFERS), TT_ERROR_STATE);
    while (tt_acquire_buffer(0, &reading)) {
        tt_release_buffer(0, &reading, reading.count);
    }
    EXPECT_EQUAL(tt_set_buffers(0, TT_CONFIG_BUFFERS), TT_OK);
}

int main(void)
{
    run(TT_POLICY_OVERWRITE, 2);
    run(TT_POLICY_OVERWRITE, TT_CONFIG_BUFFERS);
    run(TT_POLICY_DROP, 2);
    run(TT_POLICY_DROP, TT_CONFIG_BUFFERS);
    run_until_full();
    return plain_port.failures == 0 ? 0 : 1;
}
