/*
 * Drives three streams at once, each with its own selection and policy, over a link that has room
 * only at times. Interrupts record in between. Prints the program's own count of offered records by
 * stream and class: "STREAM CLASS RECORDS".
 *
 *     streams_driver SEED STEPS LINK_FILE
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tickertape/emitters.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

#define STREAMS 3u

/* Selected classes of each stream, one bit per class, and its policy. */
static const struct {
    uint32_t classes;
    tt_policy_t policy;
} streams[STREAMS] = {
    {1u << TT_CLASS_USER | 1u << TT_CLASS_SCHED | 1u << TT_CLASS_SYSTEM, TT_POLICY_DROP},
    {1u << TT_CLASS_USER | 1u << TT_CLASS_SYSTEM, TT_POLICY_OVERWRITE},
    {1u << TT_CLASS_SCHED | 1u << TT_CLASS_SYSTEM, TT_POLICY_DROP},
};

static uint64_t random_state;
static uint32_t lock_depth;
static uint32_t now_ticks;
static bool in_interrupt;
static bool recording;
static FILE *link_file;
static uint32_t link_room;
static uint64_t offered[STREAMS][TT_CLASS_COUNT];
static uint32_t serial;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

static void count(uint32_t event_class, uint32_t records)
{
    for (uint32_t i = 0; i < STREAMS; i++) {
        offered[i][event_class] += ((streams[i].classes >> event_class) & 1u) * records;
    }
}

static void emit_one(void)
{
    uint32_t n = serial++;
    switch (random_below(5)) {
    case 0:
        count(TT_CLASS_SYSTEM, 3); /* four words and the length */
        tt_emit_system_slog(n, n * 2654435761u, "a text.");
        break;
    case 1:
    case 2:
        count(TT_CLASS_SCHED, 1);
        tt_emit_sched_context_switch(n, n * 2654435761u);
        break;
    default:
        count(TT_CLASS_USER, 1);
        tt_emit_user_user(1, n, n * 2654435761u);
    }
}

tt_port_key_t tt_port_lock(void)
{
    return lock_depth++;
}

void tt_port_unlock(tt_port_key_t key)
{
    lock_depth = key;
    if (lock_depth == 0u && recording && !in_interrupt && random_below(8) == 0u) {
        in_interrupt = true;
        emit_one();
        in_interrupt = false;
    }
}

/* Never the same tick twice, so that no event needs a key, which would be an uncounted record. */
uint32_t tt_port_ticks(void)
{
    return now_ticks += 1u + random_below(2);
}

uint32_t tt_port_exception(void)
{
    return in_interrupt ? 16u : 0u;
}

void tt_port_notify_drain(void)
{
}

static uint32_t room_bytes(void *context)
{
    (void)context;
    return link_room;
}

static void put(void *context, const uint8_t *bytes, uint32_t count_bytes)
{
    (void)context;
    link_room -= count_bytes;
    size_t written = fwrite(bytes, 1, count_bytes, link_file);
    assert(written == count_bytes);
}

static void start(void)
{
    static const tt_target_t target = {.name = "streams_driver", .tick_hz = 1000000u};
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    int result = tt_init(&target, &link);
    for (uint32_t i = 0; i < STREAMS; i++) {
        result |= tt_set_policy(i, streams[i].policy);
        for (uint32_t c = 0; c < TT_CLASS_COUNT; c++) {
            result |= tt_select_class(i, c, ((streams[i].classes >> c) & 1u) != 0u);
        }
        result |= tt_start(i);
    }
    assert(result == TT_OK);
}

static void finish(void)
{
    recording = false;
    for (uint32_t i = 0; i < STREAMS; i++) {
        (void)tt_stop(i);
    }
    while (!tt_drain_done()) {
        link_room = 1u << 20;
        (void)tt_drain_step();
    }
    int failed = fclose(link_file);
    assert(failed == 0);
}

int main(int argc, char **argv)
{
    assert(argc == 4);
    random_state = strtoull(argv[1], NULL, 10);
    link_file = fopen(argv[3], "wb");
    assert(link_file != NULL);
    start();
    recording = true;
    for (uint32_t i = 0; i < strtoul(argv[2], NULL, 10); i++) {
        emit_one();
        if (random_below(100) == 0u) {
            link_room = random_below(30000);
        }
        if (random_below(4) == 0u) {
            (void)tt_drain_step();
        }
    }
    finish();
    for (uint32_t i = 0; i < STREAMS; i++) {
        for (uint32_t c = 0; c < TT_CLASS_COUNT; c++) {
            printf("%" PRIu32 " %" PRIu32 " %" PRIu64 "\n", i, c, offered[i][c]);
        }
    }
    return 0;
}
