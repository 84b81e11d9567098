#include "trc_load.h"

#include <stdint.h>

#include "board.h"
#include "kernel.h"
#include "tracer.h"
#include "trc.h"

#define DEFAULT_DURATION_MS 2000u
#define SENSOR_PERIOD_US    7300u
#define STACK_BYTES         1024u

static kernel_sem_t resource = KERNEL_SEM_INIT(1, 1);
static kernel_thread_t hard_thread;
static _Alignas(8) uint8_t hard_stack[STACK_BYTES];
static kernel_thread_t soft_thread;
static _Alignas(8) uint8_t soft_stack[STACK_BYTES];
static kernel_thread_t supervisor_thread;
static _Alignas(8) uint8_t supervisor_stack[STACK_BYTES];

static uint32_t ms_to_ticks(uint32_t ms)
{
    return (uint32_t)((uint64_t)ms * KERNEL_TICK_HZ / 1000u);
}

static void run_hard(void *argument)
{
    (void)argument;
    (void)kernel_thread_set_period(kernel_thread_self(), ms_to_ticks(5));
    for (trc_user_event_t activation = {.n = 1};; activation.n++) {
        (void)trc_logevent(TRC_USER0, &activation);
        (void)kernel_sem_wait(&resource, KERNEL_FOREVER);
        kernel_work_us(800);
        (void)kernel_sem_post(&resource);
        (void)kernel_wait_period();
    }
}

static void run_soft(void *argument)
{
    (void)argument;
    (void)kernel_thread_set_period(kernel_thread_self(), ms_to_ticks(20));
    for (trc_user_event_t activation = {.n = 1};; activation.n++) {
        (void)trc_logevent(TRC_USER1, &activation);
        if (kernel_sem_trywait(&resource) == KERNEL_OK) {
            kernel_work_us(3000);
            (void)kernel_sem_post(&resource);
        }
        (void)kernel_wait_period();
    }
}

static void supervise(void *argument)
{
    (void)argument;
    (void)kernel_sleep(ms_to_ticks(board_option("duration_ms", DEFAULT_DURATION_MS)));
    trc_end();
    tracer_finish();
}

static void sensor_interrupt(void *argument)
{
    (void)argument;
    board_sensor_acknowledge();
}

int trc_load_trace_into(int queue)
{
    int result = 0;
    for (int event_class = TRC_CLASS_TRACER; event_class <= TRC_CLASS_SEM; event_class++) {
        result |= trc_assign_class_to_queue(event_class, queue);
        result |= trc_trace_class(event_class);
    }
    return result;
}

void trc_load_create(void)
{
    (void)kernel_thread_create(&hard_thread, "hard", run_hard, NULL, 20, hard_stack, STACK_BYTES);
    (void)kernel_thread_create(&soft_thread, "soft", run_soft, NULL, 10, soft_stack, STACK_BYTES);
    (void)kernel_thread_create(&supervisor_thread, "supervisor", supervise, NULL, 30,
                               supervisor_stack, STACK_BYTES);
    (void)kernel_irq_attach(BOARD_SENSOR_IRQ, KERNEL_IRQ_LEVEL_DEVICE, sensor_interrupt, NULL);
    board_sensor_start(SENSOR_PERIOD_US);
}
