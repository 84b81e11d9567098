/*
 * Contention for a mutex: `low` locks `bus` and wakes the more urgent `high`, which waits for
 * `bus`; `low` inherits the priority of `high` until it unlocks `bus`.
 */
#include <tickertape/emitters.h>
#include <zephyr/kernel.h>

#include "finish.h"

#define STACK_BYTES 1024
#define TURNS       20u

/* User events: a turn begins, `high` or `low` owns the mutex, all turns are done. */
#define EVENT_TURN 0u
#define EVENT_HIGH 1u
#define EVENT_LOW  2u
#define EVENT_DONE 3u

K_MUTEX_DEFINE(bus);
K_SEM_DEFINE(go, 0, 1);
K_SEM_DEFINE(done, 0, 1);

static void be_high(void)
{
    for (;;) {
        k_sem_take(&go, K_FOREVER);
        k_mutex_lock(&bus, K_FOREVER);
        tt_emit_user_user(EVENT_HIGH, 0, 0);
        k_mutex_unlock(&bus);
    }
}

static void be_low(void)
{
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        k_mutex_lock(&bus, K_FOREVER);
        tt_emit_user_user(EVENT_TURN, turn, 0);
        k_sem_give(&go);
        tt_emit_user_user(EVENT_LOW, turn, 0);
        k_mutex_unlock(&bus);
        k_msleep(10);
    }
    tt_emit_user_user(EVENT_DONE, 0, 0);
    k_sem_give(&done);
}

K_THREAD_DEFINE(high, STACK_BYTES, be_high, NULL, NULL, NULL, 3, 0, 0);
K_THREAD_DEFINE(low, STACK_BYTES, be_low, NULL, NULL, NULL, 7, 0, 0);

int main(void)
{
    k_sem_take(&done, K_FOREVER);
    finish();
    return 0;
}
