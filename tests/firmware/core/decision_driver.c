/*
 * One CPU stops a stream and drains it to its end, while the writer on another CPU halts after any
 * single instruction of an emit that opens a buffer or drops a record. No record is offered after
 * the final STATUS.
 */
#include <inttypes.h>
#include <stdio.h>

#include "ring.h"
#include "step_port.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"

#define STOPPER 0u
#define WRITER  1u

static uint32_t failures;
static bool is_final; /* the final STATUS was sent while the writer was halted */
static uint64_t offered;

static void record(uint32_t count)
{
    uint32_t cpu = step_port.cpu;
    step_port.cpu = WRITER;
    for (uint32_t i = 0; i < count; i++) {
        tt_emit_user_user(1, i, 0);
    }
    step_port.cpu = cpu;
}

static void record_one(void)
{
    record(1);
}

static void stop_and_drain(void)
{
    const tt_ring_t *ring = &tt_rings[0][WRITER];
    is_final = false;
    if ((tt_peek(&ring->snapshot.version) & 1u) != 0u) {
        return; /* a reader of the counters would wait until the writer continues */
    }
    step_port.cpu = STOPPER;
    failures += tt_stop(0) != TT_OK;
    while (tt_drain_step()) {
    }
    is_final = ring->final_of_start == tt_load(&tt_streams[0].starts);
    offered = tt_ring_offered(ring);
    step_port.cpu = WRITER;
}

/* Prepare a ring without an open buffer: all buffers are free, or all are full. */
static void begin(bool full)
{
    static const tt_target_t target = {.name = "decision_driver", .tick_hz = 1000};
    step_port.cpu = STOPPER;
    int result = tt_init(&target, &step_port_link);
    result |= tt_set_policy(0, TT_POLICY_DROP);
    result |= tt_select_class(0, TT_CLASS_USER, true);
    result |= tt_start_without_state(0);
    failures += result != TT_OK;
    if (full) {
        record(TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS + 1u);
    }
}

static void step_through(bool full)
{
    bool served = true;
    uint32_t final = 0;
    uint32_t open = 0;
    for (long after = 1; served; after++) {
        begin(full);
        step_port.cpu = WRITER;
        served = step_call(record_one, after, stop_and_drain);
        step_port.cpu = STOPPER;
        if (served && is_final && tt_ring_offered(&tt_rings[0][WRITER]) != offered) {
            failures++;
            printf("stopped after %ld instructions: an event after the last STATUS\n", after);
        }
        final += served && is_final;
        open += served && !is_final;
    }
    if (final == 0u || open == 0u) {
        failures++;
        printf("final %" PRIu32 " times, not yet %" PRIu32 " times\n", final, open);
    }
}

int main(void)
{
    step_port.is_other_cpu = true;
    step_port.step_ticks = 0; /* no announcement is due */
    step_port.room = 1u << 16;
    step_through(false);
    step_through(true);
    return failures == 0u ? 0 : 1;
}
