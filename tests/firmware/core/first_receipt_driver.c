/*
 * A link that has no room at one moment and much room at the next. The announcements that were
 * requested have to precede all buffers; otherwise records would precede the first receipt.
 *
 *     first_receipt_driver MOMENT LINK_FILE
 *
 * The link reports no room at the call MOMENT of room_bytes(), counted from 0.
 */
#include <stdlib.h>

#include "plain_port.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"

#define STEPS 1000u

static FILE *link_file;
static uint32_t moments;
static uint32_t refused;

static uint32_t room_bytes(void *context)
{
    (void)context;
    return moments++ == refused ? 0u : 1u << 20;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    EXPECT_EQUAL(fwrite(bytes, 1, count, link_file), count);
}

int main(int argc, char **argv)
{
    static const tt_target_t target = {.name = "first_receipt", .tick_hz = 1000000u};
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    EXPECT_EQUAL(argc, 3);
    refused = (uint32_t)strtoul(argv[1], NULL, 10);
    link_file = fopen(argv[2], "wb");
    EXPECT(link_file != NULL);
    EXPECT_EQUAL(tt_init(&target, &link), TT_OK);
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        EXPECT_EQUAL(tt_set_policy(stream, TT_POLICY_OVERWRITE), TT_OK);
        EXPECT_EQUAL(tt_select_class(stream, TT_CLASS_USER, true), TT_OK);
        EXPECT_EQUAL(tt_start_without_state(stream), TT_OK);
    }
    for (uint32_t i = 0; i < 2u * TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS; i++) {
        tt_emit_user_user(0, i, 0);
    }
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        EXPECT_EQUAL(tt_stop(stream), TT_OK);
    }
    for (uint32_t i = 0; i < STEPS && !tt_drain_done(); i++) {
        if (!tt_drain_step()) {
            EXPECT(tt_drain_done() || tt_drain_waits());
        }
    }
    EXPECT(tt_drain_done());
    EXPECT(!tt_drain_waits());
    EXPECT_EQUAL(fclose(link_file), 0);
    return plain_port.failures != 0;
}
