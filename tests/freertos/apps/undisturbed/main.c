/*
 * Two cores, and a busy task that disables its preemption: a more urgent task, bound to the same
 * core, does not run although it is ready. Meanwhile the busy task also waits, changes its
 * priority, and inherits one. The busy task checks the rounds that the urgent one has seen.
 *
 * USER_1: a round begins, with its kind. USER_2: the busy task is about to enable its preemption,
 * with the number of rounds that the urgent task has seen. USER_3: the urgent task runs, with the
 * round.
 */
#include "FreeRTOS.h"
#include "task.h"

#include "semphr.h"

#include "sample_board.h"
#include "tickertape/emitters.h"

#define CORE(n) ((UBaseType_t)1 << (n))
#define ROUNDS  20u
#define STACK   256
#define LONG_US 12000u /* longer than the kernel laws allow a core */

static TaskHandle_t urgent_task;
static TaskHandle_t busy_task;
static TaskHandle_t rival_task;
static SemaphoreHandle_t lock;
static volatile uint32_t round_number;
static volatile uint32_t seen;
static volatile uint32_t has_begun;

static void urgent(void *unused)
{
    (void)unused;
    for (;;) {
        (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
        tt_emit_user_user(3, round_number, 0);
        seen++;
    }
}

/* On the other core: lets the busy task inherit a priority. */
static void rival(void *unused)
{
    (void)unused;
    for (;;) {
        (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
        configASSERT(xSemaphoreTake(lock, portMAX_DELAY) == pdTRUE);
        configASSERT(xSemaphoreGive(lock) == pdTRUE);
    }
}

static void do_kind(uint32_t kind)
{
    switch (kind) {
    case 1:
        vTaskPrioritySet(NULL, 3);
        board_work_us(LONG_US);
        vTaskPrioritySet(NULL, 2);
        break;
    case 2:
        (void)xTaskNotifyGive(rival_task);
        break;
    default:
        break;
    }
    board_work_us(LONG_US);
}

static void busy(void *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t kind = i % 4u;
        round_number = i;
        tt_emit_user_user(1, kind, i);
        if (kind == 2u) {
            configASSERT(xSemaphoreTake(lock, portMAX_DELAY) == pdTRUE);
        }
        vTaskPreemptionDisable(NULL);
        if (kind == 3u) { /* waits: others run; later it is ready, but not the most urgent */
            (void)xTaskNotifyGive(urgent_task);
            vTaskDelay(2);
            configASSERT(seen == i + 1u);
        } else {
            has_begun = 1;
        }
        do_kind(kind);
        configASSERT(kind == 3u || seen == i);
        tt_emit_user_user(2, seen, i);
        vTaskPreemptionEnable(NULL);
        if (kind == 2u) { /* xSemaphoreGive() after an inheritance lets others run in any case */
            configASSERT(xSemaphoreGive(lock) == pdTRUE);
        }
        vTaskDelay(3);
        configASSERT(seen == i + 1u);
    }
    board_end(0);
}

/* On the other core: makes the urgent task ready. */
static void waker(void *unused)
{
    (void)unused;
    for (;;) {
        if (has_begun != 0u) {
            has_begun = 0;
            (void)xTaskNotifyGive(urgent_task);
        }
        vTaskDelay(1);
    }
}

static TaskHandle_t create(TaskFunction_t function, const char *name, UBaseType_t priority,
                           UBaseType_t core)
{
    TaskHandle_t task = NULL;
    configASSERT(xTaskCreateAffinitySet(function, name, STACK, NULL, priority, CORE(core), &task) ==
                 pdPASS);
    return task;
}

void application_main(void)
{
    if (tt_freertos_start("undisturbed", &board_trace_link) != 0) {
        board_failed("tt_freertos_start", 0);
    }
    lock = xSemaphoreCreateMutex();
    urgent_task = create(urgent, "urgent", 4, 1);
    rival_task = create(rival, "rival", 3, 0);
    (void)create(waker, "waker", 2, 0);
    busy_task = create(busy, "busy", 2, 1);
    vTaskStartScheduler();
}
