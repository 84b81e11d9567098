/*
 * lost_wakeup - a thread that is about to wait misses the only wake-up.
 *
 *     thread      priority  does
 *     supervisor  30        ends the program after duration_ms
 *     producer    20        101 ms after the start stores the result and signals `stored`,
 *                           without the mutex
 *     consumer    10        100 ms after the start takes the mutex, finds no result, works for
 *                           2 ms and waits for `stored`
 *
 * A condition does not store a wake-up: producer signals while consumer has the mutex and does not
 * wait yet. With option fault=0 producer also takes the mutex, so it signals only when consumer
 * waits.
 */
#include "board.h"
#include "kernel.h"
#include "tracer.h"

#define DEFAULT_DURATION_MS 2000u
#define CONSUMER_MS         100u
#define PRODUCER_MS         101u
#define WORK_US             2000u

static kernel_mutex_t mutex;
static kernel_cond_t stored;
static bool has_result; /* the fault: producer stores it without the mutex */

static kernel_thread_t producer_thread;
static _Alignas(8) uint8_t producer_stack[BOARD_STACK_BYTES];
static kernel_thread_t consumer_thread;
static _Alignas(8) uint8_t consumer_stack[BOARD_STACK_BYTES];
static kernel_thread_t supervisor_thread;
static _Alignas(8) uint8_t supervisor_stack[BOARD_STACK_BYTES];

static uint32_t ms_to_ticks(uint32_t ms)
{
    return (uint32_t)((uint64_t)ms * KERNEL_TICK_HZ / 1000u);
}

static void producer(void *argument)
{
    (void)argument;
    bool takes_mutex = board_option("fault", 1) == 0u;
    (void)kernel_sleep(ms_to_ticks(PRODUCER_MS));
    if (takes_mutex) {
        (void)kernel_mutex_lock(&mutex, KERNEL_FOREVER);
    }
    has_result = true;
    (void)kernel_cond_signal(&stored);
    if (takes_mutex) {
        (void)kernel_mutex_unlock(&mutex);
    }
}

static void consumer(void *argument)
{
    (void)argument;
    (void)kernel_sleep(ms_to_ticks(CONSUMER_MS));
    (void)kernel_mutex_lock(&mutex, KERNEL_FOREVER);
    while (!has_result) {
        kernel_work_us(WORK_US);
        (void)kernel_cond_wait(&stored, &mutex, KERNEL_FOREVER);
    }
    (void)kernel_mutex_unlock(&mutex);
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
    names[0] = (tt_name_t){
        .kind = TT_OBJECT_KIND_MUTEX, .id = (uint32_t)(uintptr_t)&mutex, .text = "mutex"};
    names[1] = (tt_name_t){
        .kind = TT_OBJECT_KIND_CONDVAR, .id = (uint32_t)(uintptr_t)&stored, .text = "stored"};
    tracer_start("lost_wakeup", names, sizeof names / sizeof names[0]);
    (void)kernel_thread_create(&producer_thread, "producer", producer, NULL, 20, producer_stack,
                               BOARD_STACK_BYTES);
    (void)kernel_thread_create(&consumer_thread, "consumer", consumer, NULL, 10, consumer_stack,
                               BOARD_STACK_BYTES);
    (void)kernel_thread_create(&supervisor_thread, "supervisor", supervisor, NULL, 30,
                               supervisor_stack, BOARD_STACK_BYTES);
    kernel_start();
}
