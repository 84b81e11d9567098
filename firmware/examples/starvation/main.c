/*
 * starvation - a thread that polls for the result of a less urgent one, which never gets the CPU.
 *
 *     thread      priority  does
 *     supervisor  30        ends the program after duration_ms
 *     tracer      25        sends the trace; at priority 0 it would also starve (example.mk)
 *     poller      10        from 100 ms on checks every 100 us whether the result is there
 *     worker      5         computes the result for 150 ms
 *
 * With option fault=0 poller sleeps for a tick after each check: worker gets the CPU and computes
 * the result.
 */
#include <stdatomic.h>

#include "board.h"
#include "kernel.h"
#include "tracer.h"

#define DEFAULT_DURATION_MS 2000u
#define QUIET_MS            100u
#define WORK_US             150000u

static atomic_bool result;

static kernel_thread_t poller_thread;
static _Alignas(8) uint8_t poller_stack[BOARD_STACK_BYTES];
static kernel_thread_t worker_thread;
static _Alignas(8) uint8_t worker_stack[BOARD_STACK_BYTES];
static kernel_thread_t supervisor_thread;
static _Alignas(8) uint8_t supervisor_stack[BOARD_STACK_BYTES];

static uint32_t ms_to_ticks(uint32_t ms)
{
    return (uint32_t)((uint64_t)ms * KERNEL_TICK_HZ / 1000u);
}

static void poller(void *argument)
{
    (void)argument;
    uint32_t pause_ticks = board_option("fault", 1) == 0u ? 1u : 0u;
    (void)kernel_sleep(ms_to_ticks(QUIET_MS));
    while (!atomic_load(&result)) {
        kernel_work_us(100);
        (void)kernel_sleep(pause_ticks);
    }
}

static void worker(void *argument)
{
    (void)argument;
    kernel_work_us(WORK_US);
    atomic_store(&result, true);
}

static void supervisor(void *argument)
{
    (void)argument;
    (void)kernel_sleep(ms_to_ticks(board_option("duration_ms", DEFAULT_DURATION_MS)));
    tracer_finish();
}

void application_main(void)
{
    tracer_start("starvation", NULL, 0);
    (void)kernel_thread_create(&poller_thread, "poller", poller, NULL, 10, poller_stack,
                               BOARD_STACK_BYTES);
    (void)kernel_thread_create(&worker_thread, "worker", worker, NULL, 5, worker_stack,
                               BOARD_STACK_BYTES);
    (void)kernel_thread_create(&supervisor_thread, "supervisor", supervisor, NULL, 30,
                               supervisor_stack, BOARD_STACK_BYTES);
    kernel_start();
}
