/*
 * Five tasks, five mutexes, and no deadlock: each philosopher takes the fork with the lower number
 * first. In the trace, see MUTEX_LOCK_DENIED with the owner, and inheritance of priority from a
 * waiting neighbour.
 */
#include "FreeRTOS.h"
#include "task.h"

#include "semphr.h"

#include "sample_board.h"
#include "tickertape/emitters.h"

#define PHILOSOPHERS 5u
#define MEALS        40u

/* Events of class USER with the number of a philosopher and its number of meals: for each meal, and
 * at the end. */
#define EVENT_MEAL 1u
#define EVENT_FULL 2u

typedef struct philosopher {
    const char *name;
    uint32_t number;
    uint32_t think_ticks;
    uint32_t eat_us;
} philosopher_t;

/* All different, so that they compete in many ways. */
static const philosopher_t philosophers[PHILOSOPHERS] = {
    {.name = "Thales", .number = 0, .think_ticks = 3, .eat_us = 900},
    {.name = "Hypatia", .number = 1, .think_ticks = 4, .eat_us = 1100},
    {.name = "Epicurus", .number = 2, .think_ticks = 5, .eat_us = 700},
    {.name = "Zeno", .number = 3, .think_ticks = 6, .eat_us = 1300},
    {.name = "Aspasia", .number = 4, .think_ticks = 7, .eat_us = 500},
};
static const char *const fork_names[PHILOSOPHERS] = {"fork0", "fork1", "fork2", "fork3", "fork4"};

static SemaphoreHandle_t forks[PHILOSOPHERS];
static SemaphoreHandle_t full;

static void live(void *argument)
{
    const philosopher_t *self = argument;
    uint32_t left = self->number;
    uint32_t right = (self->number + 1u) % PHILOSOPHERS;
    SemaphoreHandle_t first = forks[left < right ? left : right];
    SemaphoreHandle_t second = forks[left < right ? right : left];
    for (uint32_t meals = 1; meals <= MEALS; meals++) {
        vTaskDelay(self->think_ticks);
        (void)xSemaphoreTake(first, portMAX_DELAY);
        (void)xSemaphoreTake(second, portMAX_DELAY);
        board_work_us(self->eat_us / 2u);
        vTaskDelay(1);
        board_work_us(self->eat_us / 2u);
        tt_emit_user_user(EVENT_MEAL, self->number, meals);
        (void)xSemaphoreGive(second);
        (void)xSemaphoreGive(first);
    }
    tt_emit_user_user(EVENT_FULL, self->number, MEALS);
    (void)xSemaphoreGive(full);
    vTaskDelete(NULL);
}

static void supervise(void *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < PHILOSOPHERS; i++) {
        (void)xSemaphoreTake(full, portMAX_DELAY);
    }
    board_end(0);
}

void application_main(void)
{
    if (tt_freertos_start("philosophers", &board_trace_link) != 0) {
        board_print("tickertape did not start\n");
    }
    full = xSemaphoreCreateCounting(PHILOSOPHERS, 0);
    vQueueAddToRegistry(full, "full");
    for (uint32_t i = 0; i < PHILOSOPHERS; i++) {
        forks[i] = xSemaphoreCreateMutex();
        vQueueAddToRegistry(forks[i], fork_names[i]);
    }
    for (uint32_t i = 0; i < PHILOSOPHERS; i++) {
        (void)xTaskCreate(live, philosophers[i].name, 256, (void *)(uintptr_t)&philosophers[i],
                          2 + i % 3, NULL);
    }
    (void)xTaskCreate(supervise, "supervisor", 256, NULL, 6, NULL);
    vTaskStartScheduler();
}
