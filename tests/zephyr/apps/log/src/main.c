/*
 * Logs messages in every form that a frontend of Zephyr's log receives, from a thread and an
 * interrupt. USER_0 contains the cost of a message with three words, in ticks of 25 MHz: the
 * minimum of TURNS messages. With -icount shift=5 a tick is 1.25 instructions.
 */
#include <tickertape/emitters.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>

#include "finish.h"

LOG_MODULE_REGISTER(station, LOG_LEVEL_DBG);

#define CLOCK (*(const volatile uint32_t *)0x40028018u)
#define TURNS 100

static char state[] = "in RAM";

static void on_timer(struct k_timer *timer)
{
    ARG_UNUSED(timer);
    LOG_ERR("interrupt %d", -7);
}

K_TIMER_DEFINE(timer, on_timer, NULL);

static void say_all(void)
{
    uint8_t bytes[3] = {1, 2, 3};
    LOG_INF("nothing");
    LOG_WRN("one %d", -1);
    LOG_INF("two %u %x", 1u, 0xabu);
    LOG_DBG("three %d %d %d", 1, 2, 3);
    LOG_INF("five %d %d %d %d %d", 1, 2, 3, 4, 5);
    LOG_INF("long %lld after %d", -5000000000LL, 9);
    LOG_INF("%d double %.2f", 1, 2.5);
    LOG_INF("constant %s", "text");
    LOG_INF("%s %d %s %lld %.*s", state, 4, "too", 6LL, 2, state);
    LOG_HEXDUMP_INF(bytes, sizeof bytes, "bytes");
}

int main(void)
{
    say_all();
    k_timer_start(&timer, K_MSEC(1), K_NO_WAIT);
    k_msleep(1100); /* the drain sends earlier records before the measured calls */
    uint32_t least = UINT32_MAX;
    unsigned int key = irq_lock();
    for (int i = 0; i < TURNS; i++) {
        uint32_t begin = CLOCK;
        LOG_DBG("turn %d of %d, %u", i, TURNS, begin);
        least = MIN(least, CLOCK - begin);
    }
    irq_unlock(key);
    tt_emit_user_user(0, least, 0);
    finish();
    return 0;
}
