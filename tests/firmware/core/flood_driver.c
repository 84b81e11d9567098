/*
 * A host that sends noise without end. Each step of the drain has to end, and the drain has to send
 * all records meanwhile.
 */
#include "plain_port.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"

#define EVENTS     (TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS)
#define STEPS_MAX  100u
#define BYTES_MAX  4096u
#define ROOM_BYTES (1u << 20)

static uint32_t bytes_of_step;

static uint32_t room_bytes(void *context)
{
    (void)context;
    return ROOM_BYTES;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
}

static uint32_t get(void *context, uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)count;
    bytes_of_step++;
    EXPECT_EQUAL(bytes_of_step <= BYTES_MAX, true);
    bytes[0] = (uint8_t)(bytes_of_step % 7u); /* contains delimiters */
    return 1;
}

int main(void)
{
    static const tt_target_t target = {.name = "flood_driver", .tick_hz = 1000000u};
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put, .get = get};
    EXPECT_EQUAL(tt_init(&target, &link), TT_OK);
    EXPECT_EQUAL(tt_select_class(0, TT_CLASS_USER, true), TT_OK);
    EXPECT_EQUAL(tt_start(0), TT_OK);
    for (uint32_t i = 0; i < EVENTS; i++) {
        tt_emit_user_user(0, i, 0);
    }
    EXPECT_EQUAL(tt_stop(0), TT_OK);
    for (uint32_t steps = 0; steps < STEPS_MAX; steps++) {
        bytes_of_step = 0;
        EXPECT_EQUAL(tt_drain_step(), true); /* more bytes may arrive */
    }
    tt_ring_status_t status;
    EXPECT_EQUAL(tt_ring_status(0, 0, &status), TT_OK);
    EXPECT(tt_drain_done());
    EXPECT_EQUAL(status.offered, status.sent + status.dropped + status.overwritten);
    EXPECT_EQUAL(status.sent > 0u, true);
    return plain_port.failures == 0 ? 0 : 1;
}
