/*
 * finalized - finalized buffers of xmtrace: only the records that precede an event are sent.
 *
 *     thread    priority  does
 *     sampler   10        a trace point every millisecond, and 200 in a row every 50 ms
 *     alarm     20        every 100 ms: its trace point, then XM_TRACE_FINALIZE
 *
 * A buffer keeps the newest records until alarm finalizes the trace: `print --style xm` shows the
 * last records before each alarm, and after them the number of the trace. With option any_free=1
 * the next trace uses any free buffer, as in RTLinux.
 */
#include "board.h"
#include "kernel.h"
#include "tracer.h"
#include "xm_trace.h"

#define DEFAULT_DURATION_MS 1000u
#define EVENT_SAMPLE        21
#define EVENT_ALARM         22
#define BURST_EACH          50
#define BURST_POINTS        200

static kernel_thread_t sampler_thread;
static kernel_thread_t alarm_thread;
static kernel_thread_t supervisor_thread;
static _Alignas(8) uint8_t sampler_stack[BOARD_STACK_BYTES];
static _Alignas(8) uint8_t alarm_stack[BOARD_STACK_BYTES];
static _Alignas(8) uint8_t supervisor_stack[BOARD_STACK_BYTES];

static uint32_t ms_to_ticks(uint32_t ms)
{
    return (uint32_t)((uint64_t)ms * KERNEL_TICK_HZ / 1000u);
}

static void sample(void *argument)
{
    (void)argument;
    long number = 0;
    for (long turn = 1;; turn++) {
        int points = turn % BURST_EACH == 0 ? BURST_POINTS : 1;
        for (int i = 0; i < points; i++) {
            xm_trace2(EVENT_SAMPLE, number++);
        }
        (void)kernel_sleep(ms_to_ticks(1));
    }
}

static void alarm(void *argument)
{
    (void)argument;
    for (long number = 1;; number++) {
        (void)kernel_sleep(ms_to_ticks(100));
        xm_trace2(EVENT_ALARM, number);
        xm_trace2(XM_TRACE_FINALIZE, 0);
    }
}

static void supervisor(void *argument)
{
    (void)argument;
    (void)kernel_sleep(ms_to_ticks(board_option("duration_ms", DEFAULT_DURATION_MS)));
    (void)xm_trace_stop();
    tracer_finish();
}

void application_main(void)
{
    tracer_open("finalized", NULL, 0);
    (void)xm_event_set_name(EVENT_SAMPLE, "sample");
    (void)xm_event_set_name(EVENT_ALARM, "alarm");
    (void)xm_set_finalize(board_option("any_free", 0) != 0u ? XM_FINALIZE_ANY_FREE
                                                            : XM_FINALIZE_NEXT);
    xm_set_class_mask(XM_CLASS_DEFAULT);
    (void)xm_trace_start();
    (void)kernel_thread_create(&sampler_thread, "sampler", sample, NULL, 10, sampler_stack,
                               BOARD_STACK_BYTES);
    (void)kernel_thread_create(&alarm_thread, "alarm", alarm, NULL, 20, alarm_stack,
                               BOARD_STACK_BYTES);
    (void)kernel_thread_create(&supervisor_thread, "supervisor", supervisor, NULL, 30,
                               supervisor_stack, BOARD_STACK_BYTES);
    kernel_start();
}
