/*
 * QUERYEVENTS while the drain, on another CPU or with higher priority, sends a buffer between any
 * two steps of the call: the result is never negative, nor more than the number of recorded events.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tickertape/emitters.h"
#include "tickertape/port.h"
#include "tickertape/qnx.h"
#include "tickertape/tickertape.h"

#define BEFORE    5
#define MEANWHILE 30

static uint32_t lock_depth;
static uint32_t now_ticks;
static uint32_t unlocks_left; /* unlocks until the drain sends; 0: never */
static bool happens;

static void record(int count)
{
    for (int i = 0; i < count; i++) {
        tt_emit_user_user(1, 1, 1);
    }
}

static void drain(void)
{
    tt_flush(0);
    while (tt_drain_step()) {
    }
}

tt_port_key_t tt_port_lock(void)
{
    return lock_depth++;
}

void tt_port_unlock(tt_port_key_t key)
{
    lock_depth = key;
    if (lock_depth == 0u && unlocks_left > 0u && !happens && --unlocks_left == 0u) {
        happens = true;
        record(MEANWHILE);
        drain();
        happens = false;
    }
}

uint32_t tt_port_ticks(void)
{
    return ++now_ticks;
}

uint32_t tt_port_exception(void)
{
    return 0;
}

void tt_port_notify_drain(void)
{
}

static uint32_t room(void *context)
{
    (void)context;
    return 1u << 20;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
}

int main(void)
{
    static const tt_target_t target = {.name = "waiting", .tick_hz = 1000};
    static const tt_link_t link = {.room_bytes = room, .put = put};
    int failures = 0;
    for (uint32_t moment = 1; moment < 10u; moment++) {
        (void)tt_init(&target, &link);
        (void)tt_select_class(0, TT_CLASS_USER, true);
        (void)tt_start_without_state(0);
        record(BEFORE);
        unlocks_left = moment;
        int waiting = TraceEvent(_NTO_TRACE_QUERYEVENTS);
        if (waiting < 0 || waiting > BEFORE + MEANWHILE) {
            printf("after %u steps: %d\n", (unsigned)moment, waiting);
            failures++;
        }
    }
    return failures == 0 ? 0 : 1;
}
