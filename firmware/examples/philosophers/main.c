/*
 * philosophers - five threads, five mutexes, and no deadlock.
 *
 * Each philosopher thinks, takes the two forks next to the plate, eats, and puts them back. Each
 * takes the fork with the lower number first: a circle of threads that wait for each other would
 * need one of them to hold a fork and wait for a lower one. In the trace, look for
 * MUTEX_LOCK_DENIED with the owner, and for philosophers that inherit the priority of a hungry
 * neighbour.
 */
#include "board.h"
#include "kernel.h"
#include "tickertape/emitters.h"
#include "tracer.h"

#define DEFAULT_DURATION_MS 2000u
#define PHILOSOPHERS        5u

/* Event of class USER: number of a philosopher (0-4), and count of its meals. */
#define EVENT_MEAL       1u
#define EVENT_ID(number) (((uint32_t)TT_CLASS_USER << 10) | (number))

static kernel_mutex_t forks[PHILOSOPHERS];

/* A philosopher, with the times for thinking and eating. All times differ, so that the philosophers
 * meet in every combination. */
typedef struct philosopher {
    const char *name;
    uint32_t number;
    uint32_t think_ticks;
    uint32_t eat_us;
} philosopher_t;

static const philosopher_t philosophers[PHILOSOPHERS] = {
    {.name = "Thales", .number = 0, .think_ticks = 3, .eat_us = 900},
    {.name = "Hypatia", .number = 1, .think_ticks = 4, .eat_us = 1100},
    {.name = "Epicurus", .number = 2, .think_ticks = 5, .eat_us = 700},
    {.name = "Zeno", .number = 3, .think_ticks = 6, .eat_us = 1300},
    {.name = "Aspasia", .number = 4, .think_ticks = 7, .eat_us = 500},
};

static kernel_thread_t threads[PHILOSOPHERS];
static _Alignas(8) uint8_t stacks[PHILOSOPHERS][BOARD_STACK_BYTES];
static kernel_thread_t supervisor_thread;
static _Alignas(8) uint8_t supervisor_stack[BOARD_STACK_BYTES];

/* Eat, with a sleep of one tick in between, so that other philosophers get hungry. */
static void eat(const philosopher_t *self)
{
    kernel_work_us(self->eat_us / 2u);
    (void)kernel_sleep(1);
    kernel_work_us(self->eat_us / 2u);
}

static void live(void *argument)
{
    const philosopher_t *self = argument;
    uint32_t left = self->number;
    uint32_t right = (self->number + 1u) % PHILOSOPHERS;
    kernel_mutex_t *first = &forks[left < right ? left : right];
    kernel_mutex_t *second = &forks[left < right ? right : left];
    for (uint32_t meals = 1;; meals++) {
        (void)kernel_sleep(self->think_ticks);
        (void)kernel_mutex_lock(first, KERNEL_FOREVER);
        (void)kernel_mutex_lock(second, KERNEL_FOREVER);
        eat(self);
        tt_emit_user_user(EVENT_MEAL, self->number, meals);
        (void)kernel_mutex_unlock(second);
        (void)kernel_mutex_unlock(first);
    }
}

static void supervisor(void *argument)
{
    (void)argument;
    uint64_t ms = board_option("duration_ms", DEFAULT_DURATION_MS);
    (void)kernel_sleep((uint32_t)(ms * KERNEL_TICK_HZ / 1000u));
    tracer_finish();
}

void application_main(void)
{
    static tt_name_t names[PHILOSOPHERS + 1u];
    static const char *const fork_names[PHILOSOPHERS] = {"fork0", "fork1", "fork2", "fork3",
                                                         "fork4"};
    for (uint32_t i = 0; i < PHILOSOPHERS; i++) {
        names[i] = (tt_name_t){.kind = TT_OBJECT_KIND_MUTEX,
                               .id = (uint32_t)(uintptr_t)&forks[i],
                               .text = fork_names[i]};
    }
    names[PHILOSOPHERS] =
        (tt_name_t){.kind = TT_OBJECT_KIND_EVENT, .id = EVENT_ID(EVENT_MEAL), .text = "meal"};
    tracer_start("philosophers", names, sizeof names / sizeof names[0]);
    for (uint32_t i = 0; i < PHILOSOPHERS; i++) {
        (void)kernel_thread_create(&threads[i], philosophers[i].name, live,
                                   (void *)&philosophers[i], 10u + i, stacks[i], BOARD_STACK_BYTES);
    }
    (void)kernel_thread_create(&supervisor_thread, "supervisor", supervisor, NULL, 30,
                               supervisor_stack, BOARD_STACK_BYTES);
    kernel_start();
}
