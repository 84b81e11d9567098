/*
 * A reader thread preempts the drain's step after any single instruction at which interrupts are
 * enabled, holds the stream and takes a buffer. Reader and drain never both have one.
 */
#include <inttypes.h>
#include <stdio.h>

#include "step_port.h"
#include "tickertape/emitters.h"
#include "tickertape/read.h"
#include "tickertape/tickertape.h"

#define STEPS 600 /* instructions of the drain: more than until it has a buffer */

static uint32_t failures;
static bool has_buffer;
static tt_reading_t reading;

static uint64_t sent(void)
{
    tt_ring_status_t status;
    failures += tt_ring_status(0, 0, &status) != TT_OK;
    return status.sent;
}

static void drain(void)
{
    (void)tt_drain_stream(0);
}

static void read(void)
{
    failures += tt_pause_drain(0, true) != TT_OK;
    has_buffer = tt_acquire_buffer(0, &reading);
}

static void begin(void)
{
    static const tt_target_t target = {.name = "lent_driver", .tick_hz = 1000};
    int result = tt_init(&target, &step_port_link);
    result |= tt_set_policy(0, TT_POLICY_DROP);
    result |= tt_select_class(0, TT_CLASS_USER, true);
    result |= tt_start_without_state(0);
    failures += result != TT_OK;
    for (uint32_t i = 0; i < TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS; i++) {
        tt_emit_user_user(1, i, 0);
    }
    has_buffer = false;
}

/* Interrupt the drain by the reader; returns the number of records sent while the reader has a
 * buffer. */
static uint64_t step_through(long after)
{
    begin();
    if (!step_call(drain, after, read) || !has_buffer) {
        return 0;
    }
    uint64_t during = sent();
    tt_release_buffer(0, &reading, reading.count);
    return during;
}

int main(void)
{
    step_port.step_ticks = 0; /* no announcement is due */
    step_port.room = 1u << 16;
    uint32_t readers = 0;
    uint32_t drains = 0;
    for (long after = 1; after <= STEPS; after++) {
        uint64_t during = step_through(after);
        if (during != 0u) {
            failures++;
            printf("after %ld instructions: the drain sent %" PRIu64 " records\n", after, during);
        }
        readers += has_buffer;
        drains += !has_buffer;
    }
    if (readers == 0u || drains == 0u) {
        failures++;
        printf("the reader had %" PRIu32 " buffers, the drain %" PRIu32 "\n", readers, drains);
    }
    return failures == 0u ? 0 : 1;
}
