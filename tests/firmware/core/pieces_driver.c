/*
 * Links with less room than a buffer needs: random events, commands and stops while frames are sent
 * in pieces.
 *
 *     pieces_driver SEED LENDS RESETS LINK_FILE
 *
 * LENDS 1: the link lends its ring; 0: it copies. At times it has no room. RESETS 1: the recorder
 * is initialised again in the middle of a frame. Output: the number of events offered to each
 * stream, all by CPU 0, then the number of commands sent.
 */
#include <stdlib.h>

#include "frame.h"
#include "plain_port.h"
#include "ring_link.h"
#include "send.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"

#define MOMENTS    400u
#define ENDLESS    100000u
#define RING_BYTES BYTE_RING_SIZE(TT_LINK_LEAST_BYTES)
#define KINDS      60u /* more than a packed body can hold */

static FILE *link_file;
static uint32_t state;
static uint32_t commands;
static bool refuses;
static uint32_t waits; /* number of times that the drain waited for room */

static uint8_t tx_bytes[RING_BYTES];
static uint8_t host_bytes[256];
static uint32_t get(void *context, uint8_t *bytes, uint32_t count);
static ring_link_t target_end = {RING_LINK_INIT(target_end, tx_bytes, get)};
static ring_link_t host_end = {RING_LINK_INIT(host_end, host_bytes, NULL)};

static uint32_t chance(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static uint32_t get(void *context, uint8_t *bytes, uint32_t count)
{
    (void)context;
    return byte_ring_read(&host_end.tx, bytes, count);
}

/* A carrier that accepts no bytes now reports no room, whatever it reported before (udp_link.c). */
static uint32_t room_bytes(void *context)
{
    return refuses && chance(8) == 0u ? 0u : ring_link_room_bytes(context);
}

/* Let the carrier send up to `count` bytes. */
static void carry(uint32_t count)
{
    uint8_t bytes[RING_BYTES];
    count = byte_ring_read(&target_end.tx, bytes, count < RING_BYTES ? count : RING_BYTES);
    EXPECT_EQUAL(fwrite(bytes, 1, count, link_file), count);
}

static void send_command(void)
{
    static const tt_command_t numbers[] = {TT_COMMAND_STATUS, TT_COMMAND_FLUSH, TT_COMMAND_HELLO,
                                           TT_COMMAND_CLASSES, TT_COMMAND_PACKING};
    const tt_wire_frame_header_t header = {.type = TT_FRAME_TYPE_COMMAND};
    const tt_wire_command_t command = {
        .id = commands + 1u,
        .command = (uint8_t)numbers[chance(sizeof numbers / sizeof numbers[0])],
        .stream = (uint8_t)chance(TT_CONFIG_STREAMS),
        .arg0 = chance(2),
    };
    tt_frame_t frame;
    if (byte_ring_used(&host_end.tx) != 0u) {
        return;
    }
    tt_frame_begin(&frame, &host_end.link, &header);
    EXPECT_EQUAL(tt_frame_add(&frame, &command, sizeof command), sizeof command);
    EXPECT(tt_frame_end(&frame));
    commands++;
}

static void record(void)
{
    plain_port.now_ticks += chance(300);
    tt_emit_user_user(chance(chance(4) == 0u ? KINDS : 8u), chance(1000),
                      chance(4) == 0u ? state : 0u);
}

/* Call the drain a few times, or until it has nothing to do. */
static void drain(void)
{
    uint32_t turns = chance(2) == 0u ? chance(4) : ENDLESS;
    while (turns-- != 0u && tt_drain_step()) {
    }
    waits += tt_drain_waits();
}

static void moment(void)
{
    for (uint32_t i = chance(60); i != 0u; i--) {
        record();
    }
    carry(chance(3) == 0u ? chance(8) : chance(RING_BYTES));
    switch (chance(12)) {
    case 0:
        tt_flush_all(chance(TT_CONFIG_STREAMS));
        break;
    case 1:
        send_command();
        break;
    case 2:
        tt_drain_announce();
        break;
    case 3: /* stop, perhaps in the middle of a frame; events before the start are not offered */
        EXPECT_EQUAL(tt_stop(TT_CONFIG_STREAMS - 1u), TT_OK);
        drain();
        EXPECT_EQUAL(tt_start_without_state(TT_CONFIG_STREAMS - 1u), TT_OK);
        break;
    default:
        break;
    }
    drain();
}

static void begin(const tt_link_t *link)
{
    static const tt_target_t target = {.name = "pieces", .tick_hz = 1000000u};
    EXPECT_EQUAL(tt_init(&target, link), TT_OK);
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        EXPECT_EQUAL(
            tt_set_policy(stream, stream % 2u == 0u ? TT_POLICY_DROP : TT_POLICY_OVERWRITE), TT_OK);
        EXPECT_EQUAL(tt_select_all(stream, true), TT_OK);
        EXPECT_EQUAL(tt_start_without_state(stream), TT_OK);
    }
}

/* Run until a frame is partly sent and the link is full. */
static void come_into_a_frame(void)
{
    refuses = false;
    EXPECT_EQUAL(tt_set_packing(false), TT_OK);
    for (uint32_t i = 0; i < 3u * TT_CONFIG_BUFFER_RECORDS; i++) {
        record();
    }
    for (uint32_t i = 0; i < ENDLESS && !tt_send_busy(); i++) {
        carry(RING_BYTES);
        (void)tt_drain_step();
    }
    EXPECT(tt_send_busy() && tt_drain_waits());
    /* The end of the drain does not wait for held streams, but for the rest of the frame. */
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        EXPECT_EQUAL(tt_stop(stream), TT_OK);
        EXPECT_EQUAL(tt_pause_drain(stream, true), TT_OK);
    }
    EXPECT(!tt_drain_done());
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        EXPECT_EQUAL(tt_pause_drain(stream, false), TT_OK);
    }
}

static void finish(void)
{
    refuses = false;
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        EXPECT_EQUAL(tt_stop(stream), TT_OK);
    }
    for (uint32_t i = 0; i < ENDLESS && !tt_drain_done(); i++) {
        carry(RING_BYTES);
        (void)tt_drain_step();
    }
    carry(RING_BYTES);
    EXPECT(tt_drain_done());
    EXPECT(!tt_drain_waits());
    EXPECT(waits != 0u);
    EXPECT_EQUAL(byte_ring_used(&target_end.tx), 0);
    EXPECT_EQUAL(fclose(link_file), 0);
}

int main(int argc, char **argv)
{
    EXPECT_EQUAL(argc, 5);
    state = (uint32_t)strtoul(argv[1], NULL, 10);
    tt_link_t link = target_end.link;
    if (argv[2][0] == '0') {
        link.acquire = NULL;
        link.commit = NULL;
    }
    link.room_bytes = room_bytes;
    refuses = true;
    link_file = fopen(argv[4], "wb");
    EXPECT(link_file != NULL);
    plain_port.step_ticks = 0;
    begin(&link);
    for (uint32_t i = 0; i < MOMENTS; i++) {
        moment();
    }
    if (argv[3][0] == '1') {
        come_into_a_frame();
        begin(&link);
    }
    finish();
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        tt_ring_status_t status;
        EXPECT_EQUAL(tt_ring_status(stream, 0, &status), TT_OK);
        printf("%llu\n", (unsigned long long)status.offered);
    }
    printf("%u\n", commands);
    return plain_port.failures != 0;
}
