/*
 * Five philosophers and five forks. Each philosopher takes the lower-numbered of its two forks
 * first, so that they never deadlock. In the timeline they are hatched while they wait.
 */
#include <tickertape/emitters.h>
#include <zephyr/kernel.h>

#define SEATS       5
#define STACK_BYTES 768
#define EAT_US      3000
#define THINK_MS    20

/* Events of this application: a philosopher starts eating, finishes eating. */
#define EVENT_EATS   0u
#define EVENT_IS_FED 1u

static struct k_mutex forks[SEATS];
static struct k_thread philosophers[SEATS];
static K_THREAD_STACK_ARRAY_DEFINE(stacks, SEATS, STACK_BYTES);

static void dine(void *number, void *b, void *c)
{
    uint32_t seat = (uint32_t)(uintptr_t)number;
    uint32_t next = (seat + 1u) % SEATS;
    struct k_mutex *first = &forks[MIN(seat, next)];
    struct k_mutex *second = &forks[MAX(seat, next)];
    for (uint32_t meal = 0;; meal++) {
        k_mutex_lock(first, K_FOREVER);
        k_mutex_lock(second, K_FOREVER);
        tt_emit_user_user(EVENT_EATS, seat, meal);
        k_busy_wait(EAT_US);
        k_msleep(1);
        tt_emit_user_user(EVENT_IS_FED, seat, meal);
        k_mutex_unlock(second);
        k_mutex_unlock(first);
        k_msleep(THINK_MS + (int32_t)seat);
    }
}

int main(void)
{
    static const char *const names[SEATS] = {"Aristotle", "Confucius", "Hypatia", "Laozi", "Plato"};
    for (uint32_t seat = 0; seat < SEATS; seat++) {
        k_mutex_init(&forks[seat]);
    }
    for (uint32_t seat = 0; seat < SEATS; seat++) {
        k_tid_t thread =
            k_thread_create(&philosophers[seat], stacks[seat], STACK_BYTES, dine,
                            (void *)(uintptr_t)seat, NULL, NULL, 3 + (int)seat, 0, K_FOREVER);
        k_thread_name_set(thread, names[seat]);
        k_thread_start(thread);
    }
    return 0;
}
