/*
 * Two tasks and a mutex: `sensor` has the higher priority and sometimes waits for the bus, which
 * `logger` has taken. A timer wakes `sensor` for each sample.
 */
#include "FreeRTOS.h"
#include "task.h"

#include "semphr.h"
#include "timers.h"

#include "sample_board.h"
#include "tickertape/emitters.h"

#define SAMPLE_PERIOD_MS 20
#define LOG_PERIOD_MS    50
#define LOG_US           25000u /* long enough that the tasks compete for the bus */
#define SAMPLES          100u

/* Events of this application. */
#define EVENT_SAMPLE 0u
#define EVENT_LOGGED 1u

static SemaphoreHandle_t bus;
static SemaphoreHandle_t due;

static void on_timer(TimerHandle_t timer)
{
    (void)timer;
    (void)xSemaphoreGive(due);
}

static void sample(void *unused)
{
    (void)unused;
    for (uint32_t number = 0; number < SAMPLES; number++) {
        (void)xSemaphoreTake(due, portMAX_DELAY);
        (void)xSemaphoreTake(bus, portMAX_DELAY);
        tt_emit_user_user(EVENT_SAMPLE, number, 0);
        (void)xSemaphoreGive(bus);
    }
    board_end(0);
}

static void log_samples(void *unused)
{
    (void)unused;
    for (uint32_t number = 0;; number++) {
        vTaskDelay(pdMS_TO_TICKS(LOG_PERIOD_MS));
        (void)xSemaphoreTake(bus, portMAX_DELAY);
        board_work_us(LOG_US);
        tt_emit_user_user(EVENT_LOGGED, number, 0);
        (void)xSemaphoreGive(bus);
    }
}

void application_main(void)
{
    if (tt_freertos_start("hello_tape", &board_trace_link) != 0) {
        board_print("tickertape did not start\n");
    }
    bus = xSemaphoreCreateMutex();
    due = xSemaphoreCreateBinary();
    vQueueAddToRegistry(bus, "bus");
    vQueueAddToRegistry(due, "due");
    (void)xTaskCreate(sample, "sensor", 256, NULL, 5, NULL);
    (void)xTaskCreate(log_samples, "logger", 256, NULL, 2, NULL);
    TimerHandle_t timer =
        xTimerCreate("sampling", pdMS_TO_TICKS(SAMPLE_PERIOD_MS), pdTRUE, NULL, on_timer);
    (void)xTimerStart(timer, 0);
    vTaskStartScheduler();
}
