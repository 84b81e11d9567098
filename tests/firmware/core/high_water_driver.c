/*
 * Prints the number of records in the open buffer at the first notification of the drain, including
 * the current one, and the number of records that the drain then sends.
 */
#include "plain_port.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"

static uint32_t room_bytes(void *context)
{
    (void)context;
    return UINT32_MAX;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
}

int main(void)
{
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    static const tt_target_t target = {.name = "high_water", .tick_hz = 1000000u};
    tt_ring_status_t status;
    EXPECT_EQUAL(tt_init(&target, &link), TT_OK);
    EXPECT_EQUAL(tt_select_class(0, TT_CLASS_USER, true), TT_OK);
    EXPECT_EQUAL(tt_start_without_state(0), TT_OK);
    while (plain_port.notified == 0u) {
        tt_emit_user_user(1, 0, 0);
    }
    EXPECT_EQUAL(tt_ring_status(0, 0, &status), TT_OK);
    printf("%u ", (uint32_t)status.offered);
    while (tt_drain_step()) {
    }
    EXPECT_EQUAL(tt_ring_status(0, 0, &status), TT_OK);
    printf("%u\n", (uint32_t)status.sent);
    return plain_port.failures != 0;
}
