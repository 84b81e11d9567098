/*
 * Buffers that stay open for many periods of the counter: traces that overwrite their oldest
 * records, and streams that shed all classes but one. The time in the buffer header leads to the
 * time of each record, as specified in protocol/SPEC.md.
 */
#include "plain_port.h"
#include "ring_read.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"

#define TIMES 1000u

static uint64_t times[TIMES];

/* Let time pass in steps, with a poll of the clock after each. */
static void pass(uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++) {
        plain_port.now_ticks += 1u << 30;
        tt_clock_poll();
    }
}

static void check(const tt_buffer_t *buffer)
{
    const tt_record_t *record = tt_ring_records(&tt_rings[0][0], buffer);
    uint64_t time = buffer->ticks;
    for (uint32_t i = 0; i < buffer->count; i++, record++) {
        time += record->time - (uint32_t)time;
        if (tt_record_class(record->header) == TT_CLASS_USER) {
            EXPECT_EQUAL(time - times[record->data[0]] < 10u, true);
        }
    }
}

static void begin(tt_policy_t policy)
{
    static const tt_target_t target = {.name = "slow_trace_driver", .tick_hz = 1000000};
    EXPECT_EQUAL(tt_init(&target, &plain_port_closed_link), TT_OK);
    EXPECT_EQUAL(tt_set_policy(0, policy), TT_OK);
    EXPECT_EQUAL(tt_select_class(0, TT_CLASS_USER, true), TT_OK);
    EXPECT_EQUAL(tt_start_without_state(0), TT_OK);
}

static void run_shedding(void)
{
    const uint32_t count = (TT_CONFIG_BUFFERS - 1u) * TT_CONFIG_BUFFER_RECORDS + 2u;
    begin(TT_POLICY_DROP);
    EXPECT_EQUAL(tt_set_shedding(0, ~(1u << TT_CLASS_USER), TT_CONFIG_BUFFERS - 1u), TT_OK);
    for (uint32_t i = 0; i < count; i++) {
        pass(i + 1u == count ? 9u : 0u);
        times[i] = tt_clock_now();
        tt_emit_user_user(1, i, 0);
    }
    tt_flush(0);
    uint32_t buffers = 0;
    tt_buffer_t *buffer;
    while ((buffer = tt_ring_acquire(&tt_rings[0][0])) != NULL) {
        check(buffer);
        tt_ring_release(&tt_rings[0][0], buffer);
        buffers++;
    }
    EXPECT_EQUAL(buffers, TT_CONFIG_BUFFERS);
}

static void run(uint32_t count, uint32_t steps)
{
    begin(TT_POLICY_FINALIZE);
    for (uint32_t i = 0; i < count; i++) {
        pass(steps);
        times[i] = tt_clock_now();
        tt_emit_user_user(1, i, 0);
    }
    EXPECT_EQUAL(tt_finalize(0), TT_OK);
    tt_buffer_t *buffer = tt_ring_acquire(&tt_rings[0][0]);
    EXPECT_EQUAL(buffer != NULL, true);
    check(buffer);
    tt_ring_release(&tt_rings[0][0], buffer);
}

int main(void)
{
    for (uint32_t count = 1; count < 4u * TT_CONFIG_BUFFER_RECORDS; count++) {
        run(count, 1);
        run(count, 5);
    }
    run_shedding();
    return plain_port.failures == 0 ? 0 : 1;
}
