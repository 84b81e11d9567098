/*
 * Sleeps of 0 to 3 periods of the counter at every phase, and days of such sleeps. Whatever is
 * missed, 64-bit time agrees with the counter and stays above its start; sleeps up to
 * TT_CLOCK_LONGEST lose nothing, and a longer one is reported by a poll that knows its length.
 */
#include <inttypes.h>
#include <stdio.h>

#include "clock.h"
#include "ring.h"
#include "step_port.h"
#include "tickertape/emitters.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

#define PERIOD  (UINT64_C(1) << 32)
#define PHASES  24u
#define TICK_HZ 168000000u
#define DAYS    3u

static uint32_t failures;

static void check(bool holds, const char *what, uint64_t start, uint64_t sleep, uint64_t now)
{
    if (!holds && failures++ < 20u) {
        printf("%s: %#" PRIx64 " after %#" PRIx64 " and a sleep of %#" PRIx64 "\n", what, now,
               start, sleep);
    }
}

static void begin(uint64_t ticks)
{
    static const tt_target_t target = {.name = "clock_sweep_driver", .tick_hz = TICK_HZ};
    step_port.now_ticks = ticks;
    if (tt_init(&target, &step_port_link) != TT_OK || tt_select_all(0, true) != TT_OK ||
        tt_set_policy(0, TT_POLICY_OVERWRITE) != TT_OK || tt_start_without_state(0) != TT_OK) {
        check(false, "start", ticks, 0, 0);
    }
}

/* Return the number of TRACER ERROR with a code in the open buffer, and the detail of the last. */
static uint32_t find_errors(int32_t code, uint32_t *detail)
{
    const tt_ring_t *ring = &tt_rings[0][0];
    uint32_t found = 0;
    for (const tt_record_t *record = ring->base; record < ring->cursor; record++) {
        if (tt_record_class(record->header) == TT_CLASS_TRACER &&
            tt_record_event(record->header) == TT_TRACER_ERROR &&
            (int32_t)record->data[0] == code) {
            *detail = record->data[1];
            found++;
        }
    }
    return found;
}

static uint32_t errors(int32_t code)
{
    uint32_t detail;
    return find_errors(code, &detail);
}

/* Return the number of periods that a late poll has reported; 0: none. */
static uint32_t reported(void)
{
    uint32_t periods = 0;
    (void)find_errors(TT_ERROR_LATE, &periods);
    return periods;
}

/* The first reading after a sleep. `moved`: readings after the start of the clock have been made,
 * so that another CPU may have delayed one. */
static void sleep_once(uint64_t start, uint64_t moved, uint64_t sleep)
{
    begin(start);
    for (uint64_t done = 0; done < moved; done += PERIOD / 4u) {
        step_port.now_ticks += PERIOD / 4u;
        tt_clock_poll();
    }
    uint64_t before = tt_clock_now();
    check(before == step_port.now_ticks, "before", start, moved, before);
    step_port.now_ticks += sleep;
    uint64_t now = tt_clock_now();
    check(now >= start && now <= step_port.now_ticks, "floor", before, sleep, now);
    check((uint32_t)now == (uint32_t)step_port.now_ticks, "counter", before, sleep, now);
    check(sleep > TT_CLOCK_LONGEST || now == step_port.now_ticks, "exact", before, sleep, now);
    if (TT_CONFIG_CPUS == 1) {
        check(now >= before || sleep % PERIOD > PERIOD - 0x10000u, "back", before, sleep, now);
    }
    tt_flush(0);
    tt_clock_poll_after(sleep);
    uint64_t lost = (step_port.now_ticks - now) / PERIOD;
    check((reported() != 0u) == (sleep >= TT_CLOCK_LONGEST), "report", before, sleep, reported());
    check(reported() >= lost, "periods", before, sleep, reported());
}

static void sweep(uint64_t start, uint64_t moved)
{
    for (uint64_t step = 0; step <= 3u * PHASES; step++) {
        uint64_t sleep = step * PERIOD / PHASES;
        sleep_once(start, moved, sleep);
        sleep_once(start, moved, sleep + 1u);
        if (sleep != 0u) {
            sleep_once(start, moved, sleep - 1u);
        }
    }
}

/* Sleeps of random length, each followed by polls in time: what is lost is reported. */
static void live_for_days(void)
{
    uint32_t random = 1;
    uint64_t allowed = 0;
    begin(12345);
    uint64_t start = step_port.now_ticks;
    while (step_port.now_ticks - start < (uint64_t)DAYS * 86400u * TICK_HZ) {
        random = random * 1664525u + 1013904223u;
        uint64_t sleep = (uint64_t)random * 3u;
        step_port.now_ticks += sleep;
        tt_flush(0);
        tt_clock_poll_after(sleep);
        allowed += reported();
        uint64_t now = tt_clock_now();
        check(now >= start && now <= step_port.now_ticks, "floor", start, sleep, now);
        check(step_port.now_ticks - now <= allowed * PERIOD, "days", start, sleep, now);
    }
}

/* Live for 20 seconds in steps of 64 ms; the clock stops for `asleep` of 64 parts. Returns the
 * number of reports. */
static uint32_t live_with_a_second_clock(uint64_t asleep)
{
    uint32_t reports = 0;
    begin(77);
    tt_clock_stops = false;
    for (uint32_t i = 0; i < 312u; i++) {
        uint64_t step = TICK_HZ / 1000u * 64u;
        step_port.now_ticks += step - step * asleep / 64u;
        tt_flush(0);
        tt_clock_poll_after(i == 0u ? 0u : step);
        reports += errors(TT_ERROR_STOPPED);
    }
    return reports;
}

static void sleep_beside_a_second_clock(void)
{
    check(live_with_a_second_clock(0) == 0u, "runs", 0, 0, 0);
    check(live_with_a_second_clock(6) == 0u, "nearly runs", 0, 0, 0);
    check(live_with_a_second_clock(9) == 1u, "stops at times", 0, 0, 0);
    check(live_with_a_second_clock(64) == 1u, "stands", 0, 0, 0);
    check(tt_clock_stops, "HELLO", 0, 0, 0);
}

int main(void)
{
    step_port.step_ticks = 0;
    for (uint64_t phase = 0; phase < PHASES; phase++) {
        uint64_t start = phase * PERIOD / PHASES;
        sweep(start, 0);
        sweep(start + 1u, PERIOD / 4u);
        sweep(start, 2u * PERIOD + PERIOD / 2u);
    }
    live_for_days();
    sleep_beside_a_second_clock();
    return failures == 0u ? 0 : 1;
}
