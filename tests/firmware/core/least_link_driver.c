/*
 * A link with only TT_LINK_LEAST_BYTES of room: all delivered records and the final counters fit
 * through it. The link is empty again at each step of the drain.
 */
#include "plain_port.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"

#define EVENTS     (TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS)
#define STEPS_MAX  10000u
#define KIND_COUNT 60u /* more event types than fit into one packed body */

static uint32_t waiting_bytes;

static uint32_t room_bytes(void *context)
{
    (void)context;
    return TT_LINK_LEAST_BYTES - waiting_bytes;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)bytes;
    EXPECT(count <= TT_LINK_LEAST_BYTES - waiting_bytes);
    waiting_bytes += count;
}

int main(void)
{
    static const tt_target_t target = {.name = "least_link_driver", .tick_hz = 1000000u};
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    EXPECT_EQUAL(tt_init(&target, &link), TT_OK);
    EXPECT_EQUAL(tt_set_policy(0, TT_POLICY_DROP), TT_OK);
    EXPECT_EQUAL(tt_select_class(0, TT_CLASS_USER, true), TT_OK);
    EXPECT_EQUAL(tt_start(0), TT_OK);
    plain_port.step_ticks = 0x01234567u; /* times, like the words, that do not pack well */
    for (uint32_t i = 0; i < EVENTS; i++) {
        tt_emit_user_user(i % KIND_COUNT, i * 2654435761u, ~(i * 2654435761u));
    }
    EXPECT_EQUAL(tt_stop(0), TT_OK);
    uint32_t steps = 0;
    while (!tt_drain_done() && steps < STEPS_MAX) {
        (void)tt_drain_step();
        waiting_bytes = 0;
        steps++;
    }
    tt_ring_status_t status;
    EXPECT_EQUAL(tt_ring_status(0, 0, &status), TT_OK);
    EXPECT(tt_drain_done());
    EXPECT(status.sent > 0u);
    EXPECT_EQUAL(status.offered, status.sent + status.dropped);
    return plain_port.failures == 0 ? 0 : 1;
}
