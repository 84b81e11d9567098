/*
 * first_tape - the demo application: a small controller with threads, interrupts, a semaphore, and
 * a mutex with priority inheritance.
 *
 *     thread      priority  period   does
 *     supervisor  30        -        ends the program after duration_ms
 *     motor       25        5 ms     150 us
 *     sensor      22        -        100 us for each sample interrupt, every 7.3 ms
 *     control     18        20 ms    uses the bus for 600 us
 *     filter      12        25 ms    2 ms
 *     logger      6         33 ms    uses the bus for 4 ms
 *     report      4         200 ms   5 ms
 *     tracer      0         -        sends the trace
 *
 * The bus is a mutex. When control finds it locked by logger, logger inherits control's priority,
 * so filter cannot delay control, which waits only as long as logger uses the bus: look for
 * MUTEX_INHERIT.
 */
#include "board.h"
#include "kernel.h"
#include "tickertape/emitters.h"
#include "tracer.h"

#define DEFAULT_DURATION_MS 5000u
#define SENSOR_PERIOD_US    7300u

/* Our events of class USER: a sample was taken (number, value); a report was written (number, count
 * of samples). */
#define EVENT_SAMPLE     1u
#define EVENT_REPORT     2u
#define EVENT_ID(number) (((uint32_t)TT_CLASS_USER << 10) | (number))

static kernel_mutex_t bus;
static kernel_sem_t sample_ready = KERNEL_SEM_INIT(0, 8);
static uint32_t sample_count;

static void motor(void)
{
    kernel_work_us(150);
}

static void control(void)
{
    kernel_work_us(50);
    (void)kernel_mutex_lock(&bus, KERNEL_FOREVER);
    kernel_work_us(600);
    (void)kernel_mutex_unlock(&bus);
}

static void filter(void)
{
    kernel_work_us(2000);
}

static void logger(void)
{
    (void)kernel_mutex_lock(&bus, KERNEL_FOREVER);
    kernel_work_us(4000);
    (void)kernel_mutex_unlock(&bus);
    kernel_work_us(200);
}

static void report(void)
{
    static uint32_t report_count;
    kernel_work_us(5000);
    tt_emit_user_user(EVENT_REPORT, ++report_count, sample_count);
}

/* A periodic thread: its work in each period, and the period. */
typedef struct job {
    const char *name;
    void (*work)(void);
    uint32_t priority;
    uint32_t period_ms;
} job_t;

static const job_t jobs[] = {
    {.name = "motor", .work = motor, .priority = 25, .period_ms = 5},
    {.name = "control", .work = control, .priority = 18, .period_ms = 20},
    {.name = "filter", .work = filter, .priority = 12, .period_ms = 25},
    {.name = "logger", .work = logger, .priority = 6, .period_ms = 33},
    {.name = "report", .work = report, .priority = 4, .period_ms = 200},
};

#define JOB_COUNT (sizeof jobs / sizeof jobs[0])

static kernel_thread_t job_threads[JOB_COUNT];
static _Alignas(8) uint8_t job_stacks[JOB_COUNT][BOARD_STACK_BYTES];

static kernel_thread_t sensor_thread;
static _Alignas(8) uint8_t sensor_stack[BOARD_STACK_BYTES];
static kernel_thread_t supervisor_thread;
static _Alignas(8) uint8_t supervisor_stack[BOARD_STACK_BYTES];

static uint32_t ms_to_ticks(uint32_t ms)
{
    return (uint32_t)((uint64_t)ms * KERNEL_TICK_HZ / 1000u);
}

static void run_job(void *argument)
{
    const job_t *job = argument;
    for (;;) {
        job->work();
        (void)kernel_wait_period();
    }
}

static void sensor_interrupt(void *argument)
{
    (void)argument;
    board_sensor_acknowledge();
    (void)kernel_sem_post(&sample_ready);
}

static void sensor(void *argument)
{
    (void)argument;
    uint32_t value = 0;
    for (;;) {
        (void)kernel_sem_wait(&sample_ready, KERNEL_FOREVER);
        kernel_work_us(100);
        sample_count++;
        value = value * 5u + 1u; /* an arbitrary, repeatable number */
        tt_emit_user_user(EVENT_SAMPLE, sample_count, value);
    }
}

static void supervisor(void *argument)
{
    (void)argument;
    (void)kernel_sleep(ms_to_ticks(board_option("duration_ms", DEFAULT_DURATION_MS)));
    tracer_finish();
}

static void create_threads(void)
{
    for (uint32_t i = 0; i < JOB_COUNT; i++) {
        (void)kernel_thread_create(&job_threads[i], jobs[i].name, run_job, (void *)&jobs[i],
                                   jobs[i].priority, job_stacks[i], BOARD_STACK_BYTES);
        (void)kernel_thread_set_period(&job_threads[i], ms_to_ticks(jobs[i].period_ms));
    }
    (void)kernel_thread_create(&sensor_thread, "sensor", sensor, NULL, 22, sensor_stack,
                               BOARD_STACK_BYTES);
    (void)kernel_thread_create(&supervisor_thread, "supervisor", supervisor, NULL, 30,
                               supervisor_stack, BOARD_STACK_BYTES);
}

void application_main(void)
{
    static const tt_name_t names[] = {
        {.kind = TT_OBJECT_KIND_IRQ, .id = BOARD_TICK_IRQ + 16u, .text = "tick"},
        {.kind = TT_OBJECT_KIND_IRQ, .id = BOARD_SENSOR_IRQ + 16u, .text = "sensor"},
        {.kind = TT_OBJECT_KIND_IRQ, .id = BOARD_DRAIN_IRQ + 16u, .text = "drain"},
        {.kind = TT_OBJECT_KIND_EVENT, .id = EVENT_ID(EVENT_SAMPLE), .text = "sample"},
        {.kind = TT_OBJECT_KIND_EVENT, .id = EVENT_ID(EVENT_REPORT), .text = "report"},
    };
    tracer_start("first_tape", names, sizeof names / sizeof names[0]);
    create_threads();
    (void)kernel_irq_attach(BOARD_SENSOR_IRQ, KERNEL_IRQ_LEVEL_DEVICE, sensor_interrupt, NULL);
    board_sensor_start(SENSOR_PERIOD_US);
    kernel_start();
}
