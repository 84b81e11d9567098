/*
 * stress - random operations on every object of the kernel; the trace shows whether the kernel
 * obeys its rules.
 *
 * Ten workers with random priorities perform random operations: lock, wait, signal, send, reply,
 * suspend and end each other, delete objects that others wait for, end. A supervisor resumes
 * suspended workers and restarts ended ones. An interrupt and a timer also post, set flags and send
 * pulses. The program ends after `operations` operations (100 000) or `duration_ms`, whichever is
 * first.
 *
 * On native, the same `seed` repeats the same run. Every wait has a time limit, so that the run
 * continues whatever the workers do to each other. Each worker sleeps regularly, so that the trace
 * can be sent.
 */
#include <stdatomic.h>

#include "board.h"
#include "kernel.h"
#include "operations.h"
#include "tracer.h"

#define DEFAULT_OPERATIONS 100000u
#define SENSOR_PERIOD_US   730u
#define WORKERS            10u
#define SUPERVISOR_TICKS   2u

/* Operations of a worker between two sleeps; the records of ten workers in that time fit into the
 * ring. */
#define OPERATIONS_IN_A_ROW 4u

/* A worker ends after this number of operations. */
#define OPERATIONS_OF_A_LIFE 500u

static worker_t workers[WORKERS];
static _Alignas(8) uint8_t stacks[WORKERS][BOARD_STACK_BYTES];
static atomic_uint operation_count;

static kernel_thread_t supervisor_thread;
static _Alignas(8) uint8_t supervisor_stack[BOARD_STACK_BYTES];

static void work(void *argument)
{
    worker_t *self = argument;
    for (uint32_t i = 1; i <= OPERATIONS_OF_A_LIFE; i++) {
        stress_operate(self);
        atomic_fetch_add(&operation_count, 1);
        if (i % OPERATIONS_IN_A_ROW == 0u) {
            (void)kernel_sleep(1);
        }
    }
}

static void start(uint32_t index)
{
    worker_t *worker = &workers[index];
    (void)kernel_thread_create(&worker->thread, "worker", work, worker, 1u + index, stacks[index],
                               BOARD_STACK_BYTES);
}

/* Resume suspended threads, and restart ended ones. */
static void look_after(void)
{
    for (uint32_t i = 0; i < WORKERS; i++) {
        (void)kernel_thread_resume(&workers[i].thread);
        if (kernel_thread_join(&workers[i].thread, 0) == KERNEL_OK) {
            start(i);
        }
    }
}

static void supervise(void *argument)
{
    (void)argument;
    uint32_t operations = board_option("operations", DEFAULT_OPERATIONS);
    uint32_t duration_ms = board_option("duration_ms", UINT32_MAX);
    while (atomic_load(&operation_count) < operations &&
           kernel_ticks() / (KERNEL_TICK_HZ / 1000) < duration_ms) {
        (void)kernel_sleep(SUPERVISOR_TICKS);
        look_after();
    }
    tracer_finish();
}

void application_main(void)
{
    static const tt_name_t names[] = {
        {.kind = TT_OBJECT_KIND_IRQ, .id = BOARD_SENSOR_IRQ + 16u, .text = "sensor"},
    };
    tracer_start("stress", names, sizeof names / sizeof names[0]);
    uint32_t seed = board_option("seed", 1);
    stress_prepare(workers, WORKERS);
    for (uint32_t i = 0; i < WORKERS; i++) {
        workers[i].random = (seed * WORKERS + i + 1u) * 2654435761u | 1u; /* never 0 */
        start(i);
    }
    (void)kernel_thread_create(&supervisor_thread, "supervisor", supervise, NULL, 30,
                               supervisor_stack, BOARD_STACK_BYTES);
    (void)kernel_irq_attach(BOARD_SENSOR_IRQ, KERNEL_IRQ_LEVEL_DEVICE, stress_interrupt, NULL);
    board_sensor_start(SENSOR_PERIOD_US);
    kernel_start();
}
