/*
 * Two busy threads on two CPUs share a mutex. A third thread of higher priority runs on either CPU.
 */
#include <tickertape/emitters.h>
#include <zephyr/kernel.h>

#define STACK_BYTES 2048
#define WORK_US     4000
#define SHARED_US   1000
#define URGENT_US   500
#define URGENT_MS   10

/* Events of this application: a piece of work is done, without the mutex, with it, or by
 * `urgent`. */
#define EVENT_WORKED 0u
#define EVENT_SHARED 1u
#define EVENT_URGENT 2u

K_MUTEX_DEFINE(shared);

static void work(void *a, void *b, void *c)
{
    for (uint32_t number = 0;; number++) {
        k_busy_wait(WORK_US);
        tt_emit_user_user(EVENT_WORKED, number, 0);
        k_mutex_lock(&shared, K_FOREVER);
        k_busy_wait(SHARED_US);
        tt_emit_user_user(EVENT_SHARED, number, 0);
        k_mutex_unlock(&shared);
        k_msleep(1);
    }
}

static void be_urgent(void *a, void *b, void *c)
{
    for (uint32_t number = 0;; number++) {
        k_msleep(URGENT_MS);
        k_busy_wait(URGENT_US);
        tt_emit_user_user(EVENT_URGENT, number, 0);
    }
}

K_THREAD_DEFINE(left, STACK_BYTES, work, NULL, NULL, NULL, 5, 0, 0);
K_THREAD_DEFINE(right, STACK_BYTES, work, NULL, NULL, NULL, 5, 0, 0);
K_THREAD_DEFINE(urgent, STACK_BYTES, be_urgent, NULL, NULL, NULL, 2, 0, 0);
