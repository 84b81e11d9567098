/*
 * priority_inversion - the wait of an urgent thread for a mutex, with and without inheritance.
 *
 *     thread      priority  each 100 ms
 *     high        20        at 2 ms: uses the bus
 *     medium      10        at 3 ms: computes for medium_ms (20), without the bus
 *     low         5         at 0 ms: uses the bus for 5 ms
 *
 * With inheritance (the default) high waits for at most the 5 ms that low uses the bus. With option
 * inheritance=0 medium preempts low, which holds the mutex that high waits for: then high also
 * waits for the work of medium, however long that is. Option medium_ms sets the length of that
 * work, and the wait of high grows with it.
 */
#include "board.h"
#include "kernel.h"
#include "tickertape/emitters.h"
#include "tracer.h"

#define DEFAULT_DURATION_MS 2000u
#define DEFAULT_MEDIUM_MS   20u
#define PERIOD_MS           100u

static kernel_mutex_t with_inheritance;
static kernel_mutex_t without_inheritance = KERNEL_MUTEX_PLAIN_INIT;
static kernel_mutex_t *bus = &with_inheritance;
static uint32_t medium_us;

static uint32_t ms_to_ticks(uint32_t ms)
{
    return (uint32_t)((uint64_t)ms * KERNEL_TICK_HZ / 1000u);
}

static void use_bus(uint32_t us)
{
    (void)kernel_mutex_lock(bus, KERNEL_FOREVER);
    kernel_work_us(us);
    (void)kernel_mutex_unlock(bus);
}

static void high(void)
{
    use_bus(1000);
}

static void medium(void)
{
    kernel_work_us(medium_us);
}

static void low(void)
{
    use_bus(5000);
}

typedef struct job {
    const char *name;
    void (*work)(void);
    uint32_t priority;
    uint32_t delay_ms; /* delay after the start of a period */
} job_t;

static const job_t jobs[] = {
    {.name = "high", .work = high, .priority = 20, .delay_ms = 2},
    {.name = "medium", .work = medium, .priority = 10, .delay_ms = 3},
    {.name = "low", .work = low, .priority = 5, .delay_ms = 0},
};

#define JOB_COUNT (sizeof jobs / sizeof jobs[0])

static kernel_thread_t threads[JOB_COUNT];
static _Alignas(8) uint8_t stacks[JOB_COUNT][BOARD_STACK_BYTES];
static kernel_thread_t supervisor_thread;
static _Alignas(8) uint8_t supervisor_stack[BOARD_STACK_BYTES];

static void run_job(void *argument)
{
    const job_t *job = argument;
    (void)kernel_sleep(ms_to_ticks(job->delay_ms));
    (void)kernel_thread_set_period(kernel_thread_self(), ms_to_ticks(PERIOD_MS));
    for (;;) {
        job->work();
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
    static tt_name_t names[1];
    medium_us = 1000u * board_option("medium_ms", DEFAULT_MEDIUM_MS);
    if (board_option("inheritance", 1) == 0u) {
        bus = &without_inheritance;
    }
    names[0] =
        (tt_name_t){.kind = TT_OBJECT_KIND_MUTEX, .id = (uint32_t)(uintptr_t)bus, .text = "bus"};
    tracer_start("priority_inversion", names, sizeof names / sizeof names[0]);
    for (uint32_t i = 0; i < JOB_COUNT; i++) {
        (void)kernel_thread_create(&threads[i], jobs[i].name, run_job, (void *)&jobs[i],
                                   jobs[i].priority, stacks[i], BOARD_STACK_BYTES);
    }
    (void)kernel_thread_create(&supervisor_thread, "supervisor", supervisor, NULL, 30,
                               supervisor_stack, BOARD_STACK_BYTES);
    kernel_start();
}
