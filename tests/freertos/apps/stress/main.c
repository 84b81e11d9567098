/*
 * Tasks that perform random operations on the same objects and count them. At the end, `main`
 * records the totals, and each task's processor time as counted by the kernel:
 *
 *   USER_1  an object, number of times that it was given or sent
 *   USER_2  an object, number of times that it was taken or received
 *   USER_3  a task, its ulRunTimeCounter; all in one critical section
 */
#include <stdbool.h>

#include "FreeRTOS.h"
#include "task.h"

#include "queue.h"
#include "semphr.h"

#include "sample_board.h"
#include "tickertape/emitters.h"

#define WORKERS 5u
#define STEPS   150u

enum object {
    OBJECT_QUEUE,
    OBJECT_SEM,
    OBJECT_FIRST,
    OBJECT_SECOND,
    OBJECTS
};

static QueueHandle_t objects[OBJECTS];
static uint32_t given[OBJECTS];
static uint32_t taken[OBJECTS];
static volatile uint32_t ended;

/* Count a successful operation; called by any task. */
static void count(uint32_t counts[OBJECTS], enum object object, BaseType_t status)
{
    if (status == pdPASS) {
        taskENTER_CRITICAL();
        counts[object]++;
        taskEXIT_CRITICAL();
    }
}

static void hold(enum object mutex, TickType_t ticks, uint32_t us)
{
    BaseType_t status = xSemaphoreTake(objects[mutex], ticks);
    count(taken, mutex, status);
    if (status == pdPASS) {
        board_work_us(us);
        count(given, mutex, xSemaphoreGive(objects[mutex]));
    }
}

static void do_step(uint32_t random)
{
    uint32_t item = random;
    TickType_t ticks = (random >> 4) % 4u;
    uint32_t us = (random >> 8) % 300u;
    switch (random % 8u) {
    case 0:
    case 1:
        count(given, OBJECT_QUEUE, xQueueSend(objects[OBJECT_QUEUE], &item, ticks));
        break;
    case 2:
        count(taken, OBJECT_QUEUE, xQueueReceive(objects[OBJECT_QUEUE], &item, ticks));
        break;
    case 3:
        count(given, OBJECT_SEM, xSemaphoreGive(objects[OBJECT_SEM]));
        break;
    case 4:
        count(taken, OBJECT_SEM, xSemaphoreTake(objects[OBJECT_SEM], ticks));
        break;
    case 5:
        hold(OBJECT_FIRST, ticks, us);
        break;
    case 6:
        hold(OBJECT_SECOND, ticks, us);
        taskYIELD();
        break;
    default:
        board_work_us(us);
        vTaskDelay(ticks);
        break;
    }
}

static void work(void *argument)
{
    uint32_t seed = (uint32_t)(uintptr_t)argument + 1u;
    for (uint32_t i = 0; i < STEPS; i++) {
        seed = seed * 1103515245u + 12345u;
        do_step(seed >> 16);
    }
    ended++;
    vTaskDelete(NULL);
}

static void tell_times(void)
{
    static TaskStatus_t tasks[WORKERS + 8u];
    taskENTER_CRITICAL();
    UBaseType_t found = uxTaskGetSystemState(tasks, WORKERS + 8u, NULL);
    for (UBaseType_t i = 0; i < found; i++) {
        tt_emit_user_user(3, (uint32_t)tasks[i].xTaskNumber, (uint32_t)tasks[i].ulRunTimeCounter);
    }
    taskEXIT_CRITICAL();
}

static void run(void *unused)
{
    (void)unused;
    while (ended < WORKERS) {
        vTaskDelay(5);
    }
    for (uint32_t i = 0; i < OBJECTS; i++) {
        tt_emit_user_user(1, (uint32_t)(uintptr_t)objects[i], given[i]);
        tt_emit_user_user(2, (uint32_t)(uintptr_t)objects[i], taken[i]);
    }
    vTaskDelay(2);
    tell_times();
    board_end(0);
}

void application_main(void)
{
    if (tt_freertos_start("stress", &board_trace_link) != 0) {
        board_print("tickertape did not start\n");
    }
    objects[OBJECT_QUEUE] = xQueueCreate(3, sizeof(uint32_t));
    objects[OBJECT_SEM] = xSemaphoreCreateCounting(3, 0);
    objects[OBJECT_FIRST] = xSemaphoreCreateMutex();
    objects[OBJECT_SECOND] = xSemaphoreCreateMutex();
    (void)xTaskCreate(run, "main", 512, NULL, 4, NULL);
    for (uintptr_t i = 0; i < WORKERS; i++) {
        (void)xTaskCreate(work, "worker", 256, (void *)i, 1u + i % 3u, NULL);
    }
    vTaskStartScheduler();
}
