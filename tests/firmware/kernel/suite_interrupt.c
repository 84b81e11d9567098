/* Interrupts and threads: posting, preemption during computation, and a storm of both. */
#include <stddef.h>

#include "board.h"
#include "check.h"
#include "fake_recorder.h"
#include "kernel.h"
#include "tickertape/events.h"

#define STORM_TICKS     100u
#define STORM_PERIOD_US 37u /* no divisor of the tick, so that interrupts come at any point */

static kernel_sem_t samples;
static kernel_mutex_t mutex;
static volatile uint32_t interrupt_count;
static volatile uint32_t refused_count;
static volatile bool stop;
static volatile int sleep_in_interrupt;

static kernel_thread_t threads[3];
static _Alignas(8) uint8_t stacks[3][1024];

static void sensor_interrupt(void *argument)
{
    (void)argument;
    board_sensor_acknowledge();
    interrupt_count++;
    sleep_in_interrupt = kernel_sleep(1);
    if (kernel_sem_post(&samples) != KERNEL_OK) {
        refused_count++;
    }
}

static void start(size_t index, kernel_entry_t entry, void *argument, uint32_t priority)
{
    check_equal("create",
                kernel_thread_create(&threads[index], "interrupted", entry, argument, priority,
                                     stacks[index], sizeof stacks[index]),
                KERNEL_OK);
}

static void join_all(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_equal("join", kernel_thread_join(&threads[i], 1000), KERNEL_OK);
    }
}

/* Take permits of the semaphore and count them until stopped. */
static void take_samples(void *argument)
{
    uint32_t *count = argument;
    while (!stop) {
        if (kernel_sem_wait(&samples, 2) == KERNEL_OK) {
            (*count)++;
        }
    }
}

static void lock_and_unlock(void *argument)
{
    uint32_t *count = argument;
    while (!stop) {
        if (kernel_mutex_lock(&mutex, 1) == KERNEL_OK) {
            kernel_work_us(20);
            check_equal("unlock", kernel_mutex_unlock(&mutex), KERNEL_OK);
            (*count)++;
        }
        (void)kernel_sleep(*count % 3u == 0u);
    }
}

static void check_storm(void)
{
    uint32_t taken = 0;
    uint32_t locked[2] = {0, 0};
    check_begin("a storm of interrupts loses no permit");
    samples = (kernel_sem_t)KERNEL_SEM_INIT(0, 3);
    stop = false;
    start(0, take_samples, &taken, 20);
    start(1, lock_and_unlock, &locked[0], 10);
    start(2, lock_and_unlock, &locked[1], 11);
    board_sensor_start(STORM_PERIOD_US);
    (void)kernel_sleep(STORM_TICKS);
    board_sensor_start(1000000);
    stop = true;
    join_all(3);
    uint32_t left = 0;
    while (kernel_sem_trywait(&samples) == KERNEL_OK) {
        left++;
    }
    check_equal("permits", taken + left + refused_count, interrupt_count);
    check_equal("about as many interrupts as due", interrupt_count > 2000u, true);
    check_equal("threads got on", locked[0] > 50u && locked[1] > 50u, true);
    check_equal("sleeping in an interrupt", sleep_in_interrupt, KERNEL_ERROR_STATE);
}

/* Compute a sum that keeps the floating point registers in use. */
static float sum(uint32_t count)
{
    float a = 1.0F;
    float b = 0.5F;
    for (uint32_t i = 0; i < count; i++) {
        a = a * 0.99F + b;
        b = b * 1.0001F - a * 0.001F;
        if (i % 16u == 0u) {
            kernel_work_us(10);
        }
    }
    return a + b;
}

static void sum_many(void *argument)
{
    float *result = argument;
    *result = sum(20000);
}

static void disturb(void *argument)
{
    float *result = argument;
    while (!stop) {
        *result = sum(50);
        (void)kernel_sleep(1);
    }
}

static void check_floating_point(void)
{
    float result = 0.0F;
    float small = 0.0F;
    check_begin("preemption keeps the floating point registers");
    stop = false;
    start(0, sum_many, &result, 10);
    start(1, disturb, &small, 20);
    check_equal("join", kernel_thread_join(&threads[0], KERNEL_FOREVER), KERNEL_OK);
    stop = true;
    check_equal("join", kernel_thread_join(&threads[1], KERNEL_FOREVER), KERNEL_OK);
    check_equal("sum", (int64_t)(result * 1e6F), (int64_t)(sum(20000) * 1e6F));
    check_equal("small sum", (int64_t)(small * 1e6F), (int64_t)(sum(50) * 1e6F));
}

/* The trace contains interrupt, post and ready thread in this order; entry and exit balance. */
static void check_trace(void)
{
    check_begin("interrupts in the trace");
    samples = (kernel_sem_t)KERNEL_SEM_INIT(0, 3);
    board_sensor_start(700);
    fake_recorder_clear();
    check_equal("wait", kernel_sem_wait(&samples, KERNEL_FOREVER), KERNEL_OK);
    uint32_t entries = fake_recorder_count_of(TT_CLASS_INT, TT_INT_ENTRY);
    check_equal("entry and exit", fake_recorder_count_of(TT_CLASS_INT, TT_INT_EXIT), entries);
    uint32_t first = 0;
    while (fake_recorder_event(first)->event_class != TT_CLASS_INT ||
           fake_recorder_event(first)->data[0] != BOARD_SENSOR_IRQ + 16u) {
        first++;
    }
    static const uint32_t following[] = {TT_INT_HANDLER_ENTRY, TT_SYNC_SEM_SIGNAL, TT_THREAD_READY,
                                         TT_INT_HANDLER_EXIT, TT_INT_EXIT};
    for (uint32_t i = 0; i < sizeof following / sizeof following[0]; i++) {
        check_equal("event", fake_recorder_event(first + 1u + i)->event, following[i]);
    }
    check_equal("the handler", fake_recorder_event(first + 1u)->data[1],
                (uint32_t)(uintptr_t)sensor_interrupt);
    board_sensor_start(1000000);
}

static kernel_flags_t flags;
static kernel_channel_t channel;

/* Make every call that interrupts may make, and a few that they may not. */
static void signalling_interrupt(void *argument)
{
    (void)argument;
    board_sensor_acknowledge();
    interrupt_count++;
    (void)kernel_flags_set(&flags, 1);
    (void)kernel_pulse_send(&channel, interrupt_count);
    (void)kernel_thread_resume(&threads[2]);
    bool refused = kernel_thread_suspend(&threads[2]) == KERNEL_ERROR_STATE &&
                   kernel_mutex_delete(&mutex) == KERNEL_ERROR_STATE &&
                   kernel_flags_wait(&flags, 1, 0, 0) == KERNEL_ERROR_STATE;
    refused_count += refused;
}

static void wait_for_flags(void *argument)
{
    uint32_t *count = argument;
    while (kernel_flags_wait(&flags, 1, KERNEL_FLAGS_CLEAR, 5) == 1) {
        (*count)++;
    }
}

static void wait_for_pulses(void *argument)
{
    uint32_t *last = argument;
    kernel_received_t received;
    while (kernel_message_receive(&channel, NULL, 0, &received, 5) == KERNEL_OK) {
        check_equal("pulses in order", received.pulse, *last + 1u);
        *last = received.pulse;
    }
}

static void suspend_oneself(void *argument)
{
    uint32_t *count = argument;
    while (!stop) {
        check_equal("suspend", kernel_thread_suspend(kernel_thread_self()), KERNEL_OK);
        (*count)++;
    }
}

static void check_signalling(void)
{
    static uint32_t counts[3];
    check_begin("interrupts set flags, send pulses and resume");
    interrupt_count = 0;
    refused_count = 0;
    stop = false;
    check_equal(
        "attach",
        kernel_irq_attach(BOARD_SENSOR_IRQ, KERNEL_IRQ_LEVEL_DEVICE, signalling_interrupt, NULL),
        KERNEL_OK);
    start(0, wait_for_flags, &counts[0], 20);
    start(1, wait_for_pulses, &counts[1], 21);
    start(2, suspend_oneself, &counts[2], 22);
    board_sensor_start(137);
    (void)kernel_sleep(50);
    stop = true;
    (void)kernel_sleep(2);
    board_sensor_start(1000000);
    join_all(3);
    check_equal("about as many interrupts as due", interrupt_count > 350u, true);
    check_equal("flags", counts[0], interrupt_count);
    check_equal("pulses", counts[1], interrupt_count);
    check_equal("resumed", counts[2] > 340u, true);
    check_equal("refused", refused_count, interrupt_count);
}

static uint32_t activation_count;

static void activating_interrupt(void *argument)
{
    (void)argument;
    board_sensor_acknowledge();
    activation_count += kernel_thread_activate(&threads[0]) == KERNEL_OK;
}

static void complete_activations(void *argument)
{
    uint32_t *count = argument;
    int late;
    check_equal("sporadic", kernel_thread_set_period(kernel_thread_self(), KERNEL_SPORADIC),
                KERNEL_OK);
    while ((late = kernel_wait_period()) >= 0) {
        (*count)++;
        check_equal("in time", late == 0, true);
    }
}

static void check_activations(void)
{
    static uint32_t count;
    check_begin("interrupts activate a sporadic thread");
    count = 0;
    activation_count = 0;
    check_equal("no thread", kernel_thread_activate(NULL), KERNEL_ERROR_ARGUMENT);
    check_equal("nothing waits", kernel_wait_period(), KERNEL_ERROR_STATE);
    start(0, complete_activations, &count, 24);
    (void)kernel_sleep(2);
    check_equal("by a thread", kernel_thread_activate(&threads[0]), KERNEL_ERROR_STATE);
    check_equal(
        "attach",
        kernel_irq_attach(BOARD_SENSOR_IRQ, KERNEL_IRQ_LEVEL_DEVICE, activating_interrupt, NULL),
        KERNEL_OK);
    board_sensor_start(500);
    (void)kernel_sleep(50);
    board_sensor_start(1000000);
    (void)kernel_sleep(2);
    check_equal("about as many interrupts as due", activation_count > 80u, true);
    check_equal("completed", count, activation_count);
    check_equal("end", kernel_thread_set_period(&threads[0], 0), KERNEL_OK);
    join_all(1);
}

void suite_interrupt(void)
{
    check_equal(
        "attach",
        kernel_irq_attach(BOARD_SENSOR_IRQ, KERNEL_IRQ_LEVEL_DEVICE, sensor_interrupt, NULL),
        KERNEL_OK);
    check_storm();
    check_floating_point();
    check_trace();
    check_signalling();
    check_activations();
}
