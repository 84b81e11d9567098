/*
 * shark_own - events, a class and a queue type that the application defines (buzzer.h,
 * sample_queue.h). A thread logs TRC_BEEP with a number from 1 every 4 ms, and TRC_HONK after every
 * tenth; both go to a queue that keeps every second event, at most 32. All other events go to a
 * circular queue, whose last events contain totals: TRC_USER6 the number of logged events,
 * TRC_USER7 of kept ones, TRC_HOOPS of lost ones.
 *
 * common/trc_load.h describes the load and the options size and files.
 */
#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "buzzer.h"
#include "kernel.h"
#include "sample_queue.h"
#include "trc.h"
#include "trc_load.h"

#define BUZZER_PRIORITY 15u
#define PERIOD_MS       4u
#define BEEPS_PER_HONK  10
#define KEPT_OF         2u

static kernel_thread_t buzzer_thread;
static _Alignas(8) uint8_t buzzer_stack[1024];
static uint32_t logged;

static void log_one(int event, int32_t number)
{
    const trc_user_event_t info = {.n = number};
    (void)trc_logevent(event, &info);
    logged++;
}

static void run_buzzer(void *argument)
{
    (void)argument;
    (void)kernel_thread_set_period(kernel_thread_self(), PERIOD_MS * KERNEL_TICK_HZ / 1000u);
    for (int32_t number = 1;; number++) {
        log_one(TRC_BEEP, number);
        if (number % BEEPS_PER_HONK == 0) {
            log_one(TRC_HONK, number);
        }
        (void)kernel_wait_period();
    }
}

/* Log the totals. The supervisor, which calls this, is more urgent than the buzzer, so nothing is
 * logged in between. */
static void report_balance(void)
{
    const sample_queue_counts_t counts = sample_queue_counts();
    const trc_user_event_t all = {.n = (int32_t)logged};
    const trc_user_event_t kept = {.n = (int32_t)counts.kept};
    const trc_tracer_event_t lost = {.n = counts.offered - counts.kept};
    (void)trc_logevent(TRC_USER6, &all);
    (void)trc_logevent(TRC_USER7, &kept);
    (void)trc_logevent(TRC_HOOPS, &lost);
}

void application_main(void)
{
    TRC_CIRCULAR_PARMS circular;
    sample_queue_args_t sample = {.every = KEPT_OF, .filename = NULL};
    if (board_option("files", 0) != 0u) {
        sample.filename = "own";
    }
    trc_load_begin("shark_own");
    (void)sample_queue_register();
    (void)trc_register_circular_queue();
    trc_circular_default_parms(circular);
    trc_circular_def_size(circular, trc_load_size());
    int own = trc_create_queue(TRC_SAMPLE_QUEUE, &sample);
    int rest = trc_create_queue(TRC_CIRCULAR_QUEUE, &circular);
    int result = trc_load_trace_into(rest);
    result |= trc_assign_class_to_queue(TRC_CLASS_BUZZER, own);
    result |= trc_trace_class(TRC_CLASS_BUZZER);
    (void)kernel_thread_create(&buzzer_thread, "buzzer", run_buzzer, NULL, BUZZER_PRIORITY,
                               buzzer_stack, sizeof buzzer_stack);
    trc_load_run(result, report_balance);
}
