/*
 * A named, held stream and a host. For each command of standard input: records three events,
 * executes the command and drains to standard output. Each event contains its number. Exit code 0.
 */
#include <stdio.h>

#include "plain_port.h"
#include "tickertape/emitters.h"
#include "tickertape/stream.h"
#include "tickertape/tickertape.h"

#define EVENTS 3u

static bool ends_with_command;

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

/* Return the next byte of one command. */
static uint32_t get(void *context, uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)count;
    int byte = ends_with_command ? EOF : getchar();
    if (byte == EOF) {
        return 0;
    }
    ends_with_command = byte == 0;
    *bytes = (uint8_t)byte;
    return 1;
}

int main(void)
{
    static const tt_target_t target = {.name = "attach_driver", .tick_hz = 1000000u};
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put, .get = get};
    uint32_t number = 0;
    EXPECT_EQUAL(tt_init(&target, &link), TT_OK);
    EXPECT_EQUAL(tt_name_stream(1, "doors"), TT_OK);
    EXPECT_EQUAL(tt_pause_drain(1, true), TT_OK);
    EXPECT_EQUAL(tt_set_policy(1, TT_POLICY_OVERWRITE), TT_OK);
    EXPECT_EQUAL(tt_select_class(1, TT_CLASS_USER, true), TT_OK);
    EXPECT_EQUAL(tt_start_without_state(1), TT_OK);
    while (!feof(stdin)) {
        for (uint32_t i = 0; i < EVENTS; i++) {
            tt_emit_user_user(1, number++, 0);
        }
        ends_with_command = false;
        do {
            tt_flush_attached();
        } while (tt_drain_step());
    }
    EXPECT_EQUAL(tt_stop(1), TT_OK);
    while (tt_drain_step()) {
    }
    EXPECT(tt_drain_done()); /* attached and empty, or held with its records */
    return fflush(stdout) != 0 || plain_port.failures != 0;
}
