/*
 * Measures the cost of sending: the drain's encoder packs the standard mix (MIX_RECORDS, made by
 * tools/bench/standard_mix.py) and passes it to a link that only counts bytes.
 * tools/bench/target.py runs this program in QEMU one instruction at a time for the first buffers,
 * and on Linux for all of them.
 */
#include <string.h>

#include "board.h"
#include "mix_records.h"
#include "send.h"
#include "tickertape/tickertape.h"

#define SITE __attribute__((noinline, noclone)) void

static uint32_t link_bytes;

static uint32_t room(void *context)
{
    (void)context;
    return 1u << 20;
}

static void count(void *context, const uint8_t *bytes, uint32_t byte_count)
{
    (void)context;
    (void)bytes;
    link_bytes += byte_count;
}

static void write_number(const char *label, uint32_t value)
{
    char text[11] = {0};
    uint32_t place = sizeof text - 1u;
    do {
        text[--place] = (char)('0' + value % 10u);
        value /= 10u;
    } while (value > 0u);
    board_console_write(label);
    board_console_write(text + place);
    board_console_write("\n");
}

/* Send one frame with one buffer; tools/bench counts from here to the return. */
SITE site_send_buffer(const tt_buffer_t *buffer);
SITE site_send_buffer(const tt_buffer_t *buffer)
{
    tt_send_begin_packed(0, buffer, tt_ring_records(tt_ring_at(0), buffer));
    (void)tt_send_go_on();
}

/* Divide the mix into buffers as in a ring, and send each. */
static void send_all(uint32_t limit)
{
    tt_ring_t *ring = tt_ring_at(0);
    for (uint32_t first = 0; first < limit; first += TT_CONFIG_BUFFER_RECORDS) {
        uint32_t left = limit - first;
        uint32_t records = left < TT_CONFIG_BUFFER_RECORDS ? left : TT_CONFIG_BUFFER_RECORDS;
        tt_buffer_t *buffer = &ring->buffers[0];
        memcpy(ring->records, &mix_records[first], records * sizeof(tt_record_t));
        buffer->first_ordinal = first;
        buffer->ticks = mix_ticks[first / TT_CONFIG_BUFFER_RECORDS];
        buffer->sequence = first / TT_CONFIG_BUFFER_RECORDS;
        buffer->count = records;
        ring->settled.sent = first;
        site_send_buffer(buffer);
    }
}

void application_main(void)
{
    static const tt_link_t link = {.room_bytes = room, .put = count};
    static const tt_target_t target = {.name = "pack_cost", .tick_hz = BOARD_CLOCK_HZ};
    (void)tt_init(&target, &link);
    uint32_t limit = board_option("records", MIX_RECORDS);
    send_all(limit);
    write_number("records ", limit);
    write_number("link_bytes ", link_bytes);
    board_exit(0);
}
