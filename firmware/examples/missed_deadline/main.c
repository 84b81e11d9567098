/*
 * missed_deadline - a periodic thread that is late whenever a more urgent one runs for long.
 *
 *     thread      priority  period   does
 *     supervisor  30        -        ends the program after duration_ms
 *     burst       20        50 ms    8 ms; 6 ms with option fault=0
 *     control     10        10 ms    3 ms
 *
 * The load is 46 %, and control needs 3 ms of its 10 ms. Every fifth activation of control
 * coincides with one of burst: control runs after burst, and completes 11 ms after its activation.
 * The kernel reports SCHED DEADLINE_MISS. With option fault=0 control is in time.
 */
#include "board.h"
#include "kernel.h"
#include "tracer.h"

#define DEFAULT_DURATION_MS 2000u
#define BURST_PERIOD_MS     50u
#define CONTROL_PERIOD_MS   10u

static kernel_thread_t burst_thread;
static _Alignas(8) uint8_t burst_stack[BOARD_STACK_BYTES];
static kernel_thread_t control_thread;
static _Alignas(8) uint8_t control_stack[BOARD_STACK_BYTES];
static kernel_thread_t supervisor_thread;
static _Alignas(8) uint8_t supervisor_stack[BOARD_STACK_BYTES];

static uint32_t ms_to_ticks(uint32_t ms)
{
    return (uint32_t)((uint64_t)ms * KERNEL_TICK_HZ / 1000u);
}

static void burst(void *argument)
{
    (void)argument;
    uint32_t work_us = board_option("fault", 1) != 0u ? 8000u : 6000u;
    for (;;) {
        kernel_work_us(work_us);
        (void)kernel_wait_period();
    }
}

static void control(void *argument)
{
    (void)argument;
    for (;;) {
        kernel_work_us(3000);
        (void)kernel_wait_period();
    }
}

static void supervisor(void *argument)
{
    (void)argument;
    (void)kernel_sleep(ms_to_ticks(board_option("duration_ms", DEFAULT_DURATION_MS)));
    tracer_finish();
}

void application_main(void)
{
    tracer_start("missed_deadline", NULL, 0);
    (void)kernel_thread_create(&burst_thread, "burst", burst, NULL, 20, burst_stack,
                               BOARD_STACK_BYTES);
    (void)kernel_thread_create(&control_thread, "control", control, NULL, 10, control_stack,
                               BOARD_STACK_BYTES);
    (void)kernel_thread_create(&supervisor_thread, "supervisor", supervisor, NULL, 30,
                               supervisor_stack, BOARD_STACK_BYTES);
    (void)kernel_thread_set_period(&burst_thread, ms_to_ticks(BURST_PERIOD_MS));
    (void)kernel_thread_set_period(&control_thread, ms_to_ticks(CONTROL_PERIOD_MS));
    kernel_start();
}
