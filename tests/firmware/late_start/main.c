/*
 * An application that runs before its trace begins: `owner` owns the lock on which `waiter` waits,
 * `sleeper` sleeps, `worker` is periodic, and finally `starter` starts the tracer.
 */
#include "board.h"
#include "kernel.h"
#include "tracer.h"

#define STACK_BYTES 1024u
#define START_TICK  50u

static kernel_mutex_t lock;

static void owner(void *argument)
{
    (void)argument;
    (void)kernel_mutex_lock(&lock, KERNEL_FOREVER);
    (void)kernel_sleep(KERNEL_FOREVER);
}

static void waiter(void *argument)
{
    (void)argument;
    (void)kernel_sleep(10);
    (void)kernel_mutex_lock(&lock, KERNEL_FOREVER);
}

static void sleeper(void *argument)
{
    (void)argument;
    (void)kernel_sleep(KERNEL_FOREVER);
}

static void worker(void *argument)
{
    (void)argument;
    for (;;) {
        kernel_work_us(300);
        (void)kernel_wait_period();
    }
}

static void starter(void *argument)
{
    static const tt_name_t names[] = {
        {.kind = TT_OBJECT_KIND_IRQ, .id = BOARD_TICK_IRQ + 16u, .text = "tick"},
        {.kind = TT_OBJECT_KIND_MUTEX, .text = "lock"},
    };
    static tt_name_t own_names[sizeof names / sizeof names[0]];
    (void)argument;
    (void)kernel_sleep(START_TICK);
    own_names[0] = names[0];
    own_names[1] = names[1];
    own_names[1].id = (uint32_t)(uintptr_t)&lock;
    tracer_start("late_start", own_names, sizeof names / sizeof names[0]);
    (void)kernel_sleep(board_option("duration_ms", 100));
    tracer_finish();
}

typedef struct job {
    const char *name;
    kernel_entry_t entry;
    uint32_t priority;
} job_t;

static const job_t jobs[] = {
    {"owner", owner, 5},   {"waiter", waiter, 9},    {"sleeper", sleeper, 7},
    {"worker", worker, 3}, {"starter", starter, 30},
};

#define JOB_COUNT (sizeof jobs / sizeof jobs[0])

void application_main(void)
{
    static kernel_thread_t threads[JOB_COUNT];
    static _Alignas(8) uint8_t stacks[JOB_COUNT][STACK_BYTES];
    for (uint32_t i = 0; i < JOB_COUNT; i++) {
        (void)kernel_thread_create(&threads[i], jobs[i].name, jobs[i].entry, NULL, jobs[i].priority,
                                   stacks[i], STACK_BYTES);
    }
    (void)kernel_thread_set_period(&threads[3], 5);
    kernel_start();
}
