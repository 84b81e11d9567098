/*
 * Random events, and a drain that sends all records at certain moments: losses do not depend on the
 * length of the drain's steps.
 *
 *     slice_driver SEED LINK_FILE
 *
 * Between two moments the clock advances a little, or by up to a quarter of its period; packing is
 * switched on and off. Some buffers are sent only after half a period, and therefore raw.
 */
#include <stdlib.h>

#include "plain_port.h"
#include "tickertape/add.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"

#define MOMENTS 60u

static FILE *link_file;
static uint32_t state;

static uint32_t chance(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static uint32_t room_bytes(void *context)
{
    (void)context;
    return TT_LINK_LEAST_BYTES; /* always sufficient */
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    EXPECT_EQUAL(fwrite(bytes, 1, count, link_file), count);
}

static void record(void)
{
    static const char text[] = "a text of some length, which takes more than one record";
    uint32_t kind = chance(8);
    if (kind == 0u) {
        tt_add_string(TT_CLASS_USER, 1, text + chance(sizeof text));
    } else {
        tt_emit_user_user(kind, chance(1000), chance(4) == 0u ? state : 0u);
    }
    plain_port.now_ticks += chance(200);
}

static void advance(void)
{
    uint32_t ticks = chance(3) == 0u ? (1u << 29) + chance(1u << 20) * 512u : chance(5000);
    plain_port.now_ticks += ticks;
    tt_clock_poll();
}

static void step(void)
{
    for (uint32_t i = chance(400); i != 0u; i--) {
        record();
    }
    advance();
    if (chance(4) == 0u) {
        (void)tt_set_packing(chance(2) == 0u);
    }
    if (chance(4) == 0u) {
        tt_flush(0);
    }
    if (chance(3) != 0u) {
        while (tt_drain_step()) {
        }
    }
}

int main(int argc, char **argv)
{
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    static const tt_target_t target = {.name = "slice", .tick_hz = 1000000u};
    EXPECT_EQUAL(argc, 3);
    state = (uint32_t)strtoul(argv[1], NULL, 10);
    link_file = fopen(argv[2], "wb");
    EXPECT(link_file != NULL);
    plain_port.step_ticks = 0;
    EXPECT_EQUAL(tt_init(&target, &link), TT_OK);
    EXPECT_EQUAL(tt_set_policy(0, state % 2u == 0u ? TT_POLICY_OVERWRITE : TT_POLICY_DROP), TT_OK);
    EXPECT_EQUAL(tt_select_all(0, true), TT_OK);
    EXPECT_EQUAL(tt_start_without_state(0), TT_OK);
    for (uint32_t i = 0; i < MOMENTS; i++) {
        step();
    }
    EXPECT_EQUAL(tt_stop(0), TT_OK);
    while (tt_drain_step()) {
    }
    EXPECT(tt_drain_done());
    EXPECT_EQUAL(fclose(link_file), 0);
    return plain_port.failures != 0;
}
