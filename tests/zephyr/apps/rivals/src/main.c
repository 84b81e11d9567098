/*
 * Three threads on two CPUs want one mutex as often as they can, so that hooks of both CPUs about
 * the same mutex and thread come close together. A fourth, more urgent, pushes them around.
 */
#include <tickertape/emitters.h>
#include <zephyr/kernel.h>

#define STACK_BYTES 2048
#define TURNS       40u
#define REST_MS     5

/* Events of this application: a thread has the mutex. */
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
