/*
 * Measures the cost of the kernel's trace macros for `make bench`: prints the clock ticks of
 * REPEATED operations of each kind, the minimum of ROUNDS. Built without recorder, stopped, or
 * recording.
 */
#include "FreeRTOS.h"
#include "task.h"

#include "semphr.h"

#include "sample_board.h"
#include "semihosting.h"
#if TT_FREERTOS_ENABLED
#include "tickertape/tickertape.h"
#endif

#define CLOCK    (*(const volatile uint32_t *)TT_PORT_CLOCK_REGISTER)
#define REPEATED 20u
#define ROUNDS   5u

static SemaphoreHandle_t wanted;
static SemaphoreHandle_t mutex;
static TaskHandle_t equal_task;

static void yield(void)
{
    taskYIELD();
}

static void give(void)
{
    (void)xSemaphoreGive(wanted);
}

static void lock(void)
{
    (void)xSemaphoreTake(mutex, 0);
    (void)xSemaphoreGive(mutex);
}

void application_irq_handler(void)
{
}

static void equal(void *unused)
{
    (void)unused;
    for (;;) {
        taskYIELD();
    }
}

static void urgent(void *unused)
{
    (void)unused;
    for (;;) {
        (void)xSemaphoreTake(wanted, portMAX_DELAY);
    }
}

static void print(const char *name, uint32_t ticks)
{
    char text[] = " 0000000\n";
    for (int place = 7; place > 0; place--, ticks /= 10u) {
        text[place] = (char)('0' + ticks % 10u);
    }
    board_print(name);
    board_print(text);
}

/* Each round begins after a kernel tick and ends before the next one. */
static void measure(const char *name, void (*operation)(void))
{
    uint32_t least = UINT32_MAX;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        vTaskDelay(2);
        uint32_t begin = CLOCK;
        for (uint32_t i = 0; i < REPEATED; i++) {
            operation();
        }
        uint32_t ticks = CLOCK - begin;
        least = ticks < least ? ticks : least;
    }
    print(name, least);
}

static void run(void *unused)
{
    (void)unused;
#if TT_FREERTOS_ENABLED && COST_STOPPED
    (void)tt_stop(0);
#endif
    measure("yield", yield);
    vTaskSuspend(equal_task);
    measure("give", give);
    measure("mutex", lock);
    (void)tt_freertos_wrap_vectors(BOARD_SPARE_IRQ, 1);
    measure("irq", board_raise_spare_irq);
    semihosting_exit(0);
}

void application_main(void)
{
    if (tt_freertos_start("cost", &board_trace_link) != 0) {
        board_print("tickertape did not start\n");
    }
    wanted = xSemaphoreCreateBinary();
    mutex = xSemaphoreCreateMutex();
    (void)xTaskCreate(run, "main", 512, NULL, 3, NULL);
    (void)xTaskCreate(equal, "equal", 256, NULL, 3, &equal_task);
    (void)xTaskCreate(urgent, "urgent", 256, NULL, 5, NULL);
    vTaskStartScheduler();
}
