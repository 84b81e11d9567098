/*
 * Starts and stops a stream three times: the drain is done only after each stop, when all records
 * and the final STATUS are sent. Standard output is the link.
 */
#include "plain_port.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"

#define STARTS 3u
#define EVENTS 20u
#define STEPS  1000u

static uint32_t room_bytes(void *context)
{
    (void)context;
    return 1u << 20;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    EXPECT_EQUAL(fwrite(bytes, 1, count, stdout), count);
}

static void drain(void)
{
    for (uint32_t i = 0; i < STEPS && tt_drain_step(); i++) {
    }
}

int main(void)
{
    static const tt_target_t target = {.name = "restart_driver", .tick_hz = 1000000u};
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    tt_ring_status_t status;
    EXPECT_EQUAL(tt_init(&target, &link), TT_OK);
    EXPECT_EQUAL(tt_set_policy(0, TT_POLICY_DROP), TT_OK);
    EXPECT_EQUAL(tt_select_class(0, TT_CLASS_USER, true), TT_OK);
    for (uint32_t start = 1; start <= STARTS; start++) {
        EXPECT_EQUAL(tt_start_without_state(0), TT_OK);
        EXPECT(!tt_drain_done());
        drain();
        EXPECT(!tt_drain_done());
        for (uint32_t i = 0; i < EVENTS; i++) {
            tt_emit_user_user(1, i, 0);
        }
        EXPECT_EQUAL(tt_stop(0), TT_OK);
        EXPECT(!tt_drain_done());
        drain();
        EXPECT(tt_drain_done());
        EXPECT_EQUAL(tt_ring_status(0, 0, &status), TT_OK);
        EXPECT_EQUAL(status.offered, start * EVENTS);
        EXPECT_EQUAL(status.sent, status.offered);
    }
    return plain_port.failures == 0 ? 0 : 1;
}
