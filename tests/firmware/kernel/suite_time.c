/* Sleeping and periods. */
#include "check.h"
#include "kernel_board.h"
#include "scenario.h"

static const scenario_t scenarios[] = {
    {
        "sleepers wake in the order of their ticks, equals in that of their sleep",
        {{'A', 5, {SLEEP(3)}}, {'B', 5, {SLEEP(1)}}, {'C', 5, {SLEEP(2)}}, {'D', 5, {SLEEP(2)}}},
        "Bs Cs Ds As",
    },
    {
        "no ticks, no sleep",
        {{'A', 5, {SLEEP(0), SAY('1')}}, {'B', 5, {SAY('1')}}},
        "As A.1 B.1",
    },
    {
        "a period without drift",
        {{'A', 9, {PERIOD(4), NEXT, SAY('1'), SLEEP(1), NEXT, SAY('2'), PERIOD(0), NEXT}},
         {'B', 5, {SLEEP(4), SAY('1'), SLEEP(4), SAY('2')}}},
        "Ac An0 A.1 Bs B.1 As An0 A.2 Ac An!s Bs B.2",
    },
    {
        "an activation that was missed is made up for",
        {{'A', 5, {PERIOD(3), WORK(7), NEXT, SAY('1'), NEXT, SAY('2'), NEXT, SAY('3')}},
         {'B', 1, {SAY('1')}}},
        "Ac Ak An1 A.1 An0 A.2 B.1 An0 A.3",
    },
    {
        "without a period there is nothing to wait for",
        {{'A', 5, {NEXT}}},
        "An!s",
    },
};

/* Check that a sleep of n ticks takes more than n - 1 and at most n tick periods. */
static void check_sleep_length(uint32_t ticks)
{
    uint32_t period = kernel_board_clock_hz() / KERNEL_TICK_HZ;
    uint32_t begin = kernel_board_clock();
    (void)kernel_sleep(ticks);
    uint32_t passed = kernel_board_clock() - begin;
    check_equal("slept long enough", passed > (ticks - 1u) * period, true);
    /* The tolerance is for entering and leaving the kernel. */
    check_equal("slept not too long", passed < ticks * period + period / 4u, true);
}

static void check_work_length(void)
{
    uint32_t begin = kernel_board_clock();
    kernel_work_us(5000);
    uint32_t passed_us =
        (uint32_t)((uint64_t)(kernel_board_clock() - begin) * 1000000u / kernel_board_clock_hz());
    check_equal("work takes about the requested time", passed_us > 4500u && passed_us < 5500u,
                true);
}

static uint32_t tick_calls;

static void count_tick(void)
{
    tick_calls++;
}

static void check_on_tick(void)
{
    uint32_t ticks = kernel_ticks();
    kernel_on_tick(count_tick);
    (void)kernel_sleep(20);
    kernel_on_tick(NULL);
    uint32_t passed = kernel_ticks() - ticks;
    check_equal("a call at each tick", tick_calls + 1u >= passed && tick_calls <= passed, true);
    (void)kernel_sleep(2);
    check_equal("and none without a function", tick_calls <= passed, true);
}

void suite_time(void)
{
    scenario_check_all(scenarios, sizeof scenarios / sizeof scenarios[0]);
    check_begin("length of sleep and work");
    for (uint32_t ticks = 1; ticks < 5u; ticks++) {
        check_sleep_length(ticks);
    }
    check_work_length();
    check_on_tick();
}
