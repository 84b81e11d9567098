#include "trc_load.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "kernel.h"
#include "tracer.h"
#include "trc.h"

#define DEFAULT_DURATION_MS 2000u
#define DEFAULT_SIZE        256u
#define SENSOR_PERIOD_US    7300u

static kernel_sem_t resource = KERNEL_SEM_INIT(1, 1);
static kernel_thread_t hard_thread;
static _Alignas(8) uint8_t hard_stack[BOARD_STACK_BYTES];
static kernel_thread_t soft_thread;
static _Alignas(8) uint8_t soft_stack[BOARD_STACK_BYTES];
static bool is_sporadic;
static kernel_thread_t sporadic_thread;
static _Alignas(8) uint8_t sporadic_stack[BOARD_STACK_BYTES];
static kernel_thread_t supervisor_thread;
static _Alignas(8) uint8_t supervisor_stack[BOARD_STACK_BYTES];

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

/* Body of the thread that each sensor interrupt activates, until the supervisor ends the
 * activations. */
static void run_sporadic(void *argument)
{
    (void)argument;
    while (kernel_wait_period() >= 0) {
        kernel_work_us(50);
    }
}

static void (*before_the_end)(void);

static void supervise(void *argument)
{
    (void)argument;
    (void)kernel_sleep(ms_to_ticks(board_option("duration_ms", DEFAULT_DURATION_MS)));
    if (before_the_end != NULL) {
        before_the_end();
    }
    if (is_sporadic) {
        (void)kernel_thread_set_period(&sporadic_thread, 0);
    }
    trc_end();
    tracer_finish();
}

static void sensor_interrupt(void *argument)
{
    (void)argument;
    board_sensor_acknowledge();
    if (is_sporadic) {
        (void)kernel_thread_activate(&sporadic_thread);
    }
}

static void create_load(void)
{
    (void)kernel_thread_create(&hard_thread, "hard", run_hard, NULL, 20, hard_stack,
                               BOARD_STACK_BYTES);
    (void)kernel_thread_create(&soft_thread, "soft", run_soft, NULL, 10, soft_stack,
                               BOARD_STACK_BYTES);
    (void)kernel_thread_create(&supervisor_thread, "supervisor", supervise, NULL, 30,
                               supervisor_stack, BOARD_STACK_BYTES);
    is_sporadic = board_option("sporadic", 0) != 0u;
    if (is_sporadic) {
        (void)kernel_thread_create(&sporadic_thread, "sporadic", run_sporadic, NULL, 25,
                                   sporadic_stack, BOARD_STACK_BYTES);
        (void)kernel_thread_set_period(&sporadic_thread, KERNEL_SPORADIC);
    }
    (void)kernel_irq_attach(BOARD_SENSOR_IRQ, KERNEL_IRQ_LEVEL_DEVICE, sensor_interrupt, NULL);
    board_sensor_start(SENSOR_PERIOD_US);
}

void trc_load_begin(const char *name)
{
    TRC_PARMS parms;
    trc_default_parms(parms);
    tracer_open(name, NULL, 0);
    (void)TRC_init_phase1(&parms);
}

int trc_load_size(void)
{
    return (int)board_option("size", DEFAULT_SIZE);
}

int trc_load_trace_into(int queue)
{
    int result = queue < 0 ? -1 : 0;
    for (int event_class = TRC_CLASS_TRACER; event_class <= TRC_CLASS_SEM; event_class++) {
        result |= trc_assign_class_to_queue(event_class, queue);
        result |= trc_trace_class(event_class);
    }
    return result;
}

void trc_load_run(int result, void (*before_end)(void))
{
    if (result < 0 || TRC_init_phase2() < 0) {
        board_console_write("the queue cannot be made: choose another size or period\n");
        board_exit(BOARD_EXIT_USAGE);
    }
    before_the_end = before_end;
    create_load();
    kernel_start();
}
