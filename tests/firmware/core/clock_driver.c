/*
 * The 64-bit clock never steps back. An interrupt that takes almost a period of the counter comes
 * after each single instruction of tt_clock_now() and of a poll. It polls the clock as a tick does,
 * eight times per quarter of the period.
 */
#include <inttypes.h>
#include <stdio.h>

#include "ring.h"
#include "step_port.h"
#include "tickertape/emitters.h"
#include "tickertape/link.h"
#include "tickertape/tickertape.h"

#define QUARTER (UINT64_C(1) << 30)

static uint64_t before; /* last result of the clock */
static uint32_t failures;

static void check(uint64_t now, const char *where)
{
    if (now < before || now > step_port.now_ticks) {
        failures++;
        printf("%s: %#" PRIx64 " after %#" PRIx64 ", true time %#" PRIx64 "\n", where, now, before,
               step_port.now_ticks);
    }
    before = now;
}

static void live_long(void)
{
    for (uint32_t i = 0; i < 30u; i++) {
        step_port.now_ticks += QUARTER / 8u;
        tt_clock_poll();
    }
    uint64_t now = tt_clock_now();
    if (now != step_port.now_ticks) {
        failures++;
        printf("the interrupt reads %#" PRIx64 " at %#" PRIx64 "\n", now, step_port.now_ticks);
    }
}

static void read_clock(void)
{
    uint64_t now = tt_clock_now();
    if (now > step_port.now_ticks || now < before) {
        failures++;
        printf("the interrupted call reads %#" PRIx64 " at %#" PRIx64 "\n", now,
               step_port.now_ticks);
    }
}

static void step_through(void (*call)(void), uint64_t offset)
{
    bool served = true;
    for (long after = 1; served; after++) {
        /* Just after a quarter of the period begins, so that the call has to store it. */
        step_port.now_ticks = (step_port.now_ticks / QUARTER + 1u) * QUARTER + offset;
        before = step_port.now_ticks - QUARTER;
        served = step_call(call, after, live_long);
        step_port.now_ticks += QUARTER / 8u;
        check(tt_clock_now(), "next");
        step_port.now_ticks += QUARTER / 2u;
        check(tt_clock_now(), "and next");
        if (before != step_port.now_ticks) {
            failures++;
            printf("interrupted after %ld instructions: %#" PRIx64 " at %#" PRIx64 "\n", after,
                   before, step_port.now_ticks);
        }
    }
}

/* Poll at the longest distance that the header permits, at any phase of the counter. */
static void poll_seldom(uint64_t phase)
{
    step_port.now_ticks = (step_port.now_ticks / QUARTER + 1u) * QUARTER + phase;
    tt_clock_poll();
    for (uint32_t i = 0; i < 9u; i++) {
        step_port.now_ticks += TT_CLOCK_LONGEST - i % 2u;
        uint64_t now = tt_clock_now();
        if (now != step_port.now_ticks) {
            failures++;
            printf("a late poll: %#" PRIx64 " at %#" PRIx64 "\n", now, step_port.now_ticks);
        }
    }
}

int main(void)
{
    static const tt_target_t target = {.name = "clock_driver", .tick_hz = 1000};
    step_port.step_ticks = 0;
    if (tt_init(&target, &step_port_link) != TT_OK ||
        tt_select_class(0, TT_CLASS_USER, true) != TT_OK ||
        tt_set_policy(0, TT_POLICY_OVERWRITE) != TT_OK || tt_start_without_state(0) != TT_OK) {
        return 2;
    }
    for (uint64_t offset = 0; offset < QUARTER / 2u; offset += QUARTER / 3u) {
        step_through(read_clock, offset);
        step_through(tt_clock_poll, offset);
        tt_emit_user_user(1, 2, 3); /* a buffer is open from here on */
    }
    for (uint64_t phase = 0; phase < QUARTER; phase += QUARTER / 7u) {
        poll_seldom(phase);
    }
    poll_seldom(QUARTER - 1u);
    return failures == 0u ? 0 : 1;
}
