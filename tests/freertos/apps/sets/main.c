/*
 * A queue set with a queue, a counting semaphore and a semaphore that an interrupt gives. `source`
 * sends to the members at random, `main` selects from the set. Both keep lists, which main records
 * at the end: USER_2: a member that main selected (0: none). USER_3: a member and the number of
 * items sent to it.
 */
#include <stdbool.h>

#include "FreeRTOS.h"
#include "task.h"

#include "queue.h"
#include "semphr.h"

#include "sample_board.h"
#include "tickertape/emitters.h"

#define SELECTIONS   80u
#define QUEUE_LENGTH 3u
#define PERMITS      4u

static QueueHandle_t queue;
static SemaphoreHandle_t counting;
static SemaphoreHandle_t raised;
static QueueSetHandle_t set;
static uint32_t selected[SELECTIONS];
static volatile uint32_t sent_to_queue;
static volatile uint32_t sent_to_counting;
static volatile uint32_t sent_to_raised;
static uint32_t seed = 1;
static volatile bool is_enough;
static volatile bool has_ended;

static uint32_t random_below(uint32_t limit)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % limit;
}

void application_irq_handler(void)
{
    BaseType_t woken = pdFALSE;
    tt_freertos_isr_enter();
    if (xSemaphoreGiveFromISR(raised, &woken) == pdPASS) {
        sent_to_raised++;
    }
    tt_freertos_isr_exit();
    portYIELD_FROM_ISR(woken);
}

static void send_once(void)
{
    uint32_t item = 7;
    switch (random_below(4)) {
    case 0:
        if (xQueueSend(queue, &item, 0) == pdPASS) {
            sent_to_queue++;
        }
        break;
    case 1:
        if (xSemaphoreGive(counting) == pdPASS) {
            sent_to_counting++;
        }
        break;
    case 2:
        board_raise_spare_irq();
        break;
    default:
        vTaskDelay(random_below(5));
        break;
    }
}

static void source(void *unused)
{
    (void)unused;
    while (!is_enough) {
        send_once();
    }
    has_ended = true; /* the counts are complete */
    vTaskSuspend(NULL);
}

static void take_from(QueueSetMemberHandle_t member)
{
    uint32_t item = 0;
    BaseType_t is_taken = member == queue ? xQueueReceive(queue, &item, 0)
                                          : xSemaphoreTake((SemaphoreHandle_t)member, 0);
    if (is_taken != pdPASS) {
        board_failed(__FILE__, __LINE__);
    }
}

static void run(void *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < SELECTIONS; i++) {
        QueueSetMemberHandle_t member = xQueueSelectFromSet(set, random_below(4));
        selected[i] = (uint32_t)(uintptr_t)member;
        if (member != NULL) {
            take_from(member);
        }
        if (i % 8u == 0u) {
            vTaskDelay(3); /* so that several items wait in the set */
        }
    }
    is_enough = true;
    while (!has_ended) {
        vTaskDelay(1);
    }
    for (uint32_t i = 0; i < SELECTIONS; i++) {
        tt_emit_user_user(2, selected[i], 0);
    }
    tt_emit_user_user(3, (uint32_t)(uintptr_t)queue, sent_to_queue);
    tt_emit_user_user(3, (uint32_t)(uintptr_t)counting, sent_to_counting);
    tt_emit_user_user(3, (uint32_t)(uintptr_t)raised, sent_to_raised);
    board_end(0);
}

void application_main(void)
{
    if (tt_freertos_start("sets", &board_trace_link) != 0) {
        board_print("tickertape did not start\n");
    }
    queue = xQueueCreate(QUEUE_LENGTH, sizeof(uint32_t));
    counting = xSemaphoreCreateCounting(PERMITS, 0);
    raised = xSemaphoreCreateBinary();
    set = xQueueCreateSet(QUEUE_LENGTH + PERMITS + 1u);
    (void)xQueueAddToSet(queue, set);
    (void)xQueueAddToSet(counting, set);
    (void)xQueueAddToSet(raised, set);
    vQueueAddToRegistry(queue, "queue");
    vQueueAddToRegistry(counting, "counting");
    vQueueAddToRegistry(raised, "raised");
    vQueueAddToRegistry(set, "set");
    uint32_t item = 7; /* before the scheduler starts */
    if (xQueueSend(queue, &item, 0) == pdPASS) {
        sent_to_queue++;
    }
    (void)xTaskCreate(run, "main", 512, NULL, 3, NULL);
    (void)xTaskCreate(source, "source", 256, NULL, 2, NULL);
    vTaskStartScheduler();
}
