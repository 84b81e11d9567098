/*
 * Commands from the host (core/command.c) and their effects, with events, drain steps, a full link
 * and raw bytes in between. After each operation the law of loss holds in every ring, and every
 * cursor is in its buffer.
 */
#include "fuzz.h"
#include "plain_port.h"
#include "ring.h"
#include "tickertape/add.h"
#include "tickertape/stream.h"
#include "tickertape/tickertape.h"

#define OPERATIONS_MAX 48u
#define ROOM_BYTES     100000u
#define STEPS_MAX      64u

static uint8_t coming[1024];
static size_t coming_bytes;
static size_t taken_bytes;
static uint32_t room_left;
static uint32_t next_id;

static uint32_t room_bytes(void *context)
{
    (void)context;
    return room_left;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    uint32_t sum = 0;
    (void)context;
    FUZZ_CHECK(count <= room_left);
    for (uint32_t i = 0; i < count; i++) {
        sum += bytes[i]; /* reads the bytes, so that a sanitizer checks them */
    }
    FUZZ_CHECK(sum != UINT32_MAX);
    room_left -= count;
}

static uint32_t get(void *context, uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)count;
    if (taken_bytes == coming_bytes) {
        return 0;
    }
    *bytes = coming[taken_bytes++];
    return 1;
}

static uint32_t waiting_records(const tt_ring_t *ring)
{
    uint32_t waiting = (uint32_t)(ring->cursor - ring->base);
#if TT_CONFIG_FINALIZE
    /* A lap may have begun for a record that was then not stored. */
    if (ring->lapped && (tt_load(&ring->filling->tag) & 3u) == TT_BUFFER_FILLING) {
        waiting += ring->settle_records - ring->settled_records;
    }
#endif
    for (uint32_t i = 0; i < TT_CONFIG_BUFFERS; i++) {
        uint32_t state = tt_load(&ring->buffers[i].tag) & 3u;
        bool holds = state == TT_BUFFER_FULL || state == TT_BUFFER_SENDING;
        waiting += holds ? ring->buffers[i].count : 0u;
    }
    return waiting;
}

static void check_law(void)
{
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        const tt_ring_t *ring = &tt_rings[stream][0];
        tt_ring_status_t status;
        FUZZ_CHECK(tt_ring_status(stream, 0, &status) == TT_OK);
        FUZZ_CHECK(ring->cursor >= ring->base &&
                   ring->cursor <= ring->base + TT_CONFIG_BUFFER_RECORDS);
        FUZZ_CHECK(status.offered ==
                   status.sent + status.dropped + status.overwritten + waiting_records(ring));
    }
    FUZZ_CHECK(plain_port.lock_depth == 0u && plain_port.failures == 0);
}

/* Receive a valid command frame with fields from the input, most of them small. */
static void command_comes(fuzz_input_t *input)
{
    static const uint8_t header[8] = {TT_FRAME_TYPE_COMMAND};
    uint8_t body[sizeof(tt_wire_command_t) + 255u];
    uint8_t flags = fuzz_u8(input);
    tt_wire_command_t command = {.id = next_id++, .command = fuzz_u8(input)};
    command.stream = (flags & 1u) != 0u ? fuzz_u8(input) : flags >> 1 & 1u;
    command.arg0 = (flags & 4u) != 0u ? fuzz_u32(input) : fuzz_u8(input);
    command.arg1 = (flags & 8u) != 0u ? fuzz_u32(input) : fuzz_u8(input);
    command.arg2 = (flags & 16u) != 0u ? fuzz_u32(input) : 0u;
    command.arg3 = (flags & 32u) != 0u ? fuzz_u32(input) : 0u;
    size_t payload = (flags & 64u) != 0u ? fuzz_u8(input) : 0u;
    if ((flags & 128u) != 0u) {
        command.id = fuzz_u32(input);
    }
    memcpy(body, &command, sizeof command);
    fuzz_copy(input, body + sizeof command, payload);
    coming_bytes = fuzz_frame(coming, header, body, sizeof command + payload);
    taken_bytes = 0;
}

static void events_come(fuzz_input_t *input)
{
    uint32_t kind = fuzz_u8(input);
    for (uint32_t i = kind >> 3; i > 0u; i--) {
        uint32_t type = fuzz_u8(input);
        plain_port.step_ticks = (kind & 4u) != 0u ? 1u << 28 : 1u;
        if ((kind & 1u) != 0u) {
            tt_add_string(type >> 3, type & 7u, "some text");
        } else {
            tt_add_event(type >> 3, type & 7u, kind, type);
        }
    }
}

static void steps(uint32_t count)
{
    for (uint32_t i = 0; i < count % STEPS_MAX && tt_drain_step(); i++) {
    }
}

static void operate(fuzz_input_t *input)
{
    uint8_t operation = fuzz_u8(input);
    switch (operation % 8u) {
    case 0:
    case 1:
        command_comes(input);
        steps(3);
        break;
    case 2:
        coming_bytes = operation >> 3;
        fuzz_copy(input, coming, coming_bytes);
        taken_bytes = 0;
        steps(1);
        break;
    case 3:
        events_come(input);
        break;
    case 4:
        steps(operation >> 3);
        break;
    case 5:
        room_left = (operation & 8u) != 0u ? fuzz_u16(input) : ROOM_BYTES;
        break;
    case 6:
        tt_flush(operation >> 3 & 1u);
        tt_clock_poll();
        break;
    default:
        (void)tt_finalize(operation >> 3 & 1u);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tt_target_t target = {.name = "fuzz", .tick_hz = 1000};
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put, .get = get};
    fuzz_input_t input = fuzz_begin(data, size);
    plain_port = (plain_port_t){.step_ticks = 1};
    room_left = ROOM_BYTES;
    coming_bytes = taken_bytes = 0;
    next_id = 1;
    (void)tt_init(&target, &link);
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        (void)tt_select_all(stream, true);
#if TT_CONFIG_STREAM_NAMES
        (void)tt_name_stream(stream, stream == 0u ? "a" : "ab");
#endif
        (void)tt_start(stream);
    }
    for (uint32_t i = 0; i < OPERATIONS_MAX && fuzz_left(&input) > 0u; i++) {
        operate(&input);
        check_law();
    }
    return 0;
}
