/*
 * deadlock - two threads that take two mutexes in opposite order, until each waits for the other.
 *
 *     thread      priority  period   does
 *     supervisor  30        -        ends the program after duration_ms
 *     reader      20        33 ms    takes the log, then the bus; 7 ms after the start
 *     writer      10        20 ms    takes the bus, then the log
 *
 * Most of the time one thread has both mutexes before the other one begins. 601 ms after the start
 * reader is activated while writer has the bus and not yet the log: from then on neither continues.
 * The mutexes are plain; other mutexes of this kernel refuse the wait (KERNEL_ERROR_DEADLOCK). With
 * option fault=0 reader also takes the bus first, and there is no deadlock.
 */
#include "board.h"
#include "kernel.h"
#include "tracer.h"

#define DEFAULT_DURATION_MS 2000u
#define READER_PERIOD_MS    33u
#define READER_DELAY_MS     7u
#define WRITER_PERIOD_MS    20u

static kernel_mutex_t bus = KERNEL_MUTEX_PLAIN_INIT;
static kernel_mutex_t log_file = KERNEL_MUTEX_PLAIN_INIT;

static kernel_thread_t reader_thread;
static _Alignas(8) uint8_t reader_stack[BOARD_STACK_BYTES];
static kernel_thread_t writer_thread;
static _Alignas(8) uint8_t writer_stack[BOARD_STACK_BYTES];
static kernel_thread_t supervisor_thread;
static _Alignas(8) uint8_t supervisor_stack[BOARD_STACK_BYTES];

static uint32_t ms_to_ticks(uint32_t ms)
{
    return (uint32_t)((uint64_t)ms * KERNEL_TICK_HZ / 1000u);
}

static void use_both(kernel_mutex_t *first, kernel_mutex_t *second)
{
    (void)kernel_mutex_lock(first, KERNEL_FOREVER);
    kernel_work_us(1500);
    (void)kernel_mutex_lock(second, KERNEL_FOREVER);
    kernel_work_us(500);
    (void)kernel_mutex_unlock(second);
    (void)kernel_mutex_unlock(first);
}

static void reader(void *argument)
{
    (void)argument;
    bool same_order = board_option("fault", 1) == 0u;
    (void)kernel_sleep(ms_to_ticks(READER_DELAY_MS));
    (void)kernel_thread_set_period(kernel_thread_self(), ms_to_ticks(READER_PERIOD_MS));
    for (;;) {
        use_both(same_order ? &bus : &log_file, same_order ? &log_file : &bus);
        (void)kernel_wait_period();
    }
}

static void writer(void *argument)
{
    (void)argument;
    for (;;) {
        use_both(&bus, &log_file);
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
    static tt_name_t names[2];
    names[0] =
        (tt_name_t){.kind = TT_OBJECT_KIND_MUTEX, .id = (uint32_t)(uintptr_t)&bus, .text = "bus"};
    names[1] = (tt_name_t){
        .kind = TT_OBJECT_KIND_MUTEX, .id = (uint32_t)(uintptr_t)&log_file, .text = "log"};
    tracer_start("deadlock", names, sizeof names / sizeof names[0]);
    (void)kernel_thread_create(&reader_thread, "reader", reader, NULL, 20, reader_stack,
                               BOARD_STACK_BYTES);
    (void)kernel_thread_create(&writer_thread, "writer", writer, NULL, 10, writer_stack,
                               BOARD_STACK_BYTES);
    (void)kernel_thread_create(&supervisor_thread, "supervisor", supervisor, NULL, 30,
                               supervisor_stack, BOARD_STACK_BYTES);
    (void)kernel_thread_set_period(&writer_thread, ms_to_ticks(WRITER_PERIOD_MS));
    kernel_start();
}
