/*
 * Two threads and a mutex: `sensor` has the higher priority and sometimes finds the bus locked by
 * `logger`. A timer wakes `sensor` for each sample.
 */
#include <tickertape/emitters.h>
#include <zephyr/kernel.h>

#define SAMPLE_PERIOD_MS 20
#define LOG_PERIOD_MS    50
#define LOG_US           25000 /* longer than a sample takes, so that they collide */
#define STACK_BYTES      1024

/* Events of this application. */
#define EVENT_SAMPLE 0u
#define EVENT_LOGGED 1u

K_MUTEX_DEFINE(bus);
K_SEM_DEFINE(due, 0, 1);

static void on_timer(struct k_timer *timer)
{
    ARG_UNUSED(timer);
    k_sem_give(&due);
}

K_TIMER_DEFINE(sampling, on_timer, NULL);

static void sample(void)
{
    k_timer_start(&sampling, K_MSEC(SAMPLE_PERIOD_MS), K_MSEC(SAMPLE_PERIOD_MS));
    for (uint32_t number = 0;; number++) {
        k_sem_take(&due, K_FOREVER);
        k_mutex_lock(&bus, K_FOREVER);
        tt_emit_user_user(EVENT_SAMPLE, number, 0);
        k_mutex_unlock(&bus);
    }
}

static void log_samples(void)
{
    for (uint32_t number = 0;; number++) {
        k_msleep(LOG_PERIOD_MS);
        k_mutex_lock(&bus, K_FOREVER);
        k_busy_wait(LOG_US);
        tt_emit_user_user(EVENT_LOGGED, number, 0);
        k_mutex_unlock(&bus);
    }
}

K_THREAD_DEFINE(sensor, STACK_BYTES, sample, NULL, NULL, NULL, 2, 0, 0);
K_THREAD_DEFINE(logger, STACK_BYTES, log_samples, NULL, NULL, NULL, 7, 0, 0);
