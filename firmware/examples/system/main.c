/*
 * system - one entity of every kind in a system trace, for `tickertape export btf`.
 *
 *     thread      priority  does
 *     supervisor  30        ends the program after duration_ms
 *     control     20        every 5 ms: runnables sense, compute (which calls the plant) and drive;
 *                           signals speed and torque; mutex bus; sets an event for monitor
 *     monitor     16        waits for the event `ready`, then clears the event
 *     reader      14        takes permits of the semaphore `samples` from the sensor interrupt
 *     logger      10        locks the bus for long, waits for a condition that control signals
 *     job         8         created by logger every 40 ms; ends by itself
 *
 * The timer `alarm` expires every 20 ms; its handler triggers the stimulus `button` and sets the
 * signal `mode`, in the tick's interrupt.
 */
#include "board.h"
#include "kernel.h"
#include "plant.h"
#include "tickertape/system.h"
#include "tracer.h"

#define DEFAULT_DURATION_MS 2000u
#define SENSOR_PERIOD_US    3100u
#define ALARM_TICKS         (KERNEL_TICK_HZ / 50u)
#define READY_BIT           1u
#define SAMPLES_LIMIT       4u
#define JOB_EACH            8u

static kernel_mutex_t bus;
static kernel_cond_t news;
static kernel_sem_t samples = KERNEL_SEM_INIT(0, SAMPLES_LIMIT);
static kernel_flags_t ready;
static kernel_timer_t alarm_timer;
static kernel_spin_t mode_lock;

static uint32_t speed;
static uint32_t torque;
static uint32_t mode;
static uint32_t button;

static tt_runnable_t sense_runnable;
static tt_runnable_t compute_runnable;
static tt_runnable_t drive_runnable;

static uint32_t ms_to_ticks(uint32_t ms)
{
    return (uint32_t)((uint64_t)ms * KERNEL_TICK_HZ / 1000u);
}

static void sense(void)
{
    TT_RUNNABLE(&sense_runnable);
    kernel_work_us(50);
    tt_signal_read(&speed, speed);
}

static void compute(void)
{
    TT_RUNNABLE(&compute_runnable);
    speed = plant_step(torque);
    tt_signal_write(&speed, speed);
}

static void drive(void)
{
    uint32_t instance = tt_runnable_begin(&drive_runnable);
    (void)kernel_mutex_lock(&bus, KERNEL_FOREVER);
    torque = speed < 100u ? 40u : 4u;
    kernel_work_us(100);
    tt_signal_write(&torque, torque);
    (void)kernel_cond_signal(&news);
    (void)kernel_mutex_unlock(&bus);
    tt_runnable_end(&drive_runnable, instance);
}

static void control(void *argument)
{
    (void)argument;
    (void)kernel_thread_set_period(kernel_thread_self(), ms_to_ticks(5));
    for (;;) {
        sense();
        compute();
        drive();
        (void)kernel_flags_set(&ready, READY_BIT);
        (void)kernel_wait_period();
    }
}

static void monitor(void *argument)
{
    (void)argument;
    for (;;) {
        (void)kernel_flags_wait(&ready, READY_BIT, 0, KERNEL_FOREVER);
        (void)kernel_flags_clear(&ready, READY_BIT);
        kernel_port_key_t key = kernel_spin_lock(&mode_lock);
        uint32_t seen = mode;
        kernel_spin_unlock(&mode_lock, key);
        tt_signal_read(&mode, seen);
        kernel_work_us(30);
    }
}

static void reader(void *argument)
{
    (void)argument;
    for (;;) {
        (void)kernel_sem_wait(&samples, ms_to_ticks(2));
        kernel_work_us(80);
        kernel_yield();
    }
}

static kernel_thread_t job_thread;
static _Alignas(8) uint8_t job_stack[BOARD_STACK_BYTES];

static void job(void *argument)
{
    (void)argument;
    kernel_work_us(500);
}

static void logger(void *argument)
{
    (void)argument;
    for (uint32_t turns = 1;; turns++) {
        (void)kernel_mutex_lock(&bus, KERNEL_FOREVER);
        kernel_work_us(1500);
        (void)kernel_cond_wait(&news, &bus, KERNEL_FOREVER);
        (void)kernel_mutex_unlock(&bus);
        if (turns % JOB_EACH == 0u) {
            (void)kernel_thread_create(&job_thread, "job", job, NULL, 8, job_stack,
                                       BOARD_STACK_BYTES);
        }
    }
}

static void sensor_interrupt(void *argument)
{
    (void)argument;
    board_sensor_acknowledge();
    (void)kernel_sem_post(&samples);
}

static void ring(void *argument)
{
    (void)argument;
    kernel_port_key_t key = kernel_spin_lock(&mode_lock);
    mode++;
    kernel_spin_unlock(&mode_lock, key);
    tt_stimulus(&button, mode);
    tt_signal_write(&mode, mode);
}

static void supervisor(void *argument)
{
    (void)argument;
    (void)kernel_sleep(ms_to_ticks(board_option("duration_ms", DEFAULT_DURATION_MS)));
    tracer_finish();
}

typedef struct role {
    const char *name;
    kernel_entry_t entry;
    uint32_t priority;
} role_t;

static const role_t roles[] = {
    {"supervisor", supervisor, 30}, {"control", control, 20}, {"monitor", monitor, 16},
    {"reader", reader, 14},         {"logger", logger, 10},
};

#define ROLE_COUNT (sizeof roles / sizeof roles[0])

static kernel_thread_t threads[ROLE_COUNT];
static _Alignas(8) uint8_t stacks[ROLE_COUNT][BOARD_STACK_BYTES];

#define NAMED(KIND, object) {.kind = TT_OBJECT_KIND_##KIND, .text = #object}

/* Store the addresses of the objects at run time: addresses with more than 32 bits are not constant
 * for the compiler. */
static void name_objects(tt_name_t *names)
{
    const volatile void *const objects[] = {
        &bus,  &news,   &samples,     &ready,          &mode_lock,        &speed,         &torque,
        &mode, &button, &alarm_timer, &sense_runnable, &compute_runnable, &drive_runnable};
    for (uint32_t i = 0; i < sizeof objects / sizeof objects[0]; i++) {
        names[i].id = (uint32_t)(uintptr_t)objects[i];
    }
}

void application_main(void)
{
    static tt_name_t names[] = {
        NAMED(MUTEX, bus),
        NAMED(CONDVAR, news),
        {.kind = TT_OBJECT_KIND_SEMAPHORE, .parent = SAMPLES_LIMIT, .text = "samples"},
        NAMED(FLAGS, ready),
        NAMED(MUTEX, mode_lock),
        NAMED(SIGNAL, speed),
        NAMED(SIGNAL, torque),
        NAMED(SIGNAL, mode),
        NAMED(STIMULUS, button),
        {.kind = TT_OBJECT_KIND_TIMER, .text = "alarm"},
        {.kind = TT_OBJECT_KIND_RUNNABLE, .text = "sense"},
        {.kind = TT_OBJECT_KIND_RUNNABLE, .text = "compute"},
        {.kind = TT_OBJECT_KIND_RUNNABLE, .text = "drive"},
        {.kind = TT_OBJECT_KIND_IRQ, .id = BOARD_SENSOR_IRQ + 16u, .text = "sensor"},
        {.kind = TT_OBJECT_KIND_IRQ, .id = BOARD_TICK_IRQ + 16u, .text = "tick"},
    };
    name_objects(names);
    tracer_start("system", names, sizeof names / sizeof names[0]);
    for (uint32_t i = 0; i < ROLE_COUNT; i++) {
        (void)kernel_thread_create(&threads[i], roles[i].name, roles[i].entry, NULL,
                                   roles[i].priority, stacks[i], BOARD_STACK_BYTES);
    }
    (void)kernel_timer_create(&alarm_timer, ring, NULL);
    (void)kernel_timer_start(&alarm_timer, ALARM_TICKS, ALARM_TICKS);
    (void)kernel_irq_attach(BOARD_SENSOR_IRQ, KERNEL_IRQ_LEVEL_DEVICE, sensor_interrupt, NULL);
    board_sensor_start(SENSOR_PERIOD_US);
    kernel_start();
}
