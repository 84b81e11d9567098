/*
 * Three threads on two CPUs lock one mutex as often as they can, so that hooks of both CPUs for
 * the same mutex and thread run close together. A fourth, more urgent thread preempts them.
 */
#include <tickertape/emitters.h>
#include <zephyr/kernel.h>

#define STACK_BYTES 2048
#define TURNS       40u
#define REST_MS     5

/* Event of this application: a thread owns the mutex. */
#define EVENT_HAS 0u

K_MUTEX_DEFINE(prize);

static void compete(void *number, void *unused, void *unused_too)
{
    for (;;) {
        for (uint32_t turn = 0; turn < TURNS; turn++) {
            k_mutex_lock(&prize, K_FOREVER);
            tt_emit_user_user(EVENT_HAS, (uint32_t)(uintptr_t)number, turn);
            k_mutex_unlock(&prize);
        }
        k_msleep(REST_MS);
    }
}

static void push(void *unused, void *unused_too, void *unused_as_well)
{
    for (;;) {
        k_msleep(1);
    }
}

K_THREAD_DEFINE(first, STACK_BYTES, compete, (void *)1, NULL, NULL, 5, 0, 0);
K_THREAD_DEFINE(second, STACK_BYTES, compete, (void *)2, NULL, NULL, 5, 0, 0);
K_THREAD_DEFINE(third, STACK_BYTES, compete, (void *)3, NULL, NULL, 5, 0, 0);
K_THREAD_DEFINE(pusher, STACK_BYTES, push, NULL, NULL, NULL, 2, 0, 0);
