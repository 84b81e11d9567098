/*
 * A UART of a given rate and the drain loop of a port, in virtual time: the drain runs every 10 ms
 * and flushes and announces every second. All streams record the same events; the clock has 1000
 * ticks per second.
 *
 *     slow_link_driver BAUD THREADS EVENTS_PER_S SECONDS ANNOUNCES LINK_FILE
 *
 * ANNOUNCES 0: the drain announces nothing, and the announcements of tt_init() take no time.
 * LINK_FILE receives the bytes of the link. Output: for each frame without records a line "MS TYPE
 * STREAM CPU", with the time at which its last byte left the UART; then the number of records
 * passed to the link in this time.
 */
#include <stdlib.h>
#include <string.h>

#include "plain_port.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"

#define MS_PER_S        1000u
#define BITS_PER_BYTE   10u /* including start and stop bit */
#define DRAIN_PERIOD_MS 10u

/* The ring of the UART. */
#ifndef FIFO_BYTES
#define FIFO_BYTES 4096u
#endif

static uint32_t baud;
static uint32_t threads;
static bool without_limit; /* the link takes no time */
static uint32_t fifo_bytes;
static FILE *link_file;
static uint8_t head[4]; /* first encoded bytes of the current frame */
static uint32_t frame_bytes;

static uint32_t room_bytes(void *context)
{
    (void)context;
    return FIFO_BYTES - fifo_bytes;
}

/* Print type, stream and CPU of a frame; COBS replaces zeros by the distance to the next one. */
static void print_frame(void)
{
    uint8_t plain[4] = {0};
    uint32_t zero_at = head[0];
    for (uint32_t i = 1; i < 4u; i++) {
        plain[i] = i == zero_at ? 0u : head[i];
        zero_at += i == zero_at ? head[i] : 0u;
    }
    uint32_t type = plain[1];
    if (type != TT_FRAME_TYPE_BUFFER && type != TT_FRAME_TYPE_PACKED) {
        uint32_t left_ms = fifo_bytes * BITS_PER_BYTE * MS_PER_S / baud;
        printf("%u %u %u %u\n", plain_port.now_ticks + left_ms, type, plain[2], plain[3]);
    }
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    EXPECT_EQUAL(fwrite(bytes, 1, count, link_file), count);
    for (uint32_t i = 0; i < count; i++) {
        fifo_bytes += !without_limit;
        if (frame_bytes < sizeof head) {
            head[frame_bytes] = bytes[i];
        }
        frame_bytes++;
        if (bytes[i] == 0u) {
            print_frame();
            frame_bytes = 0;
        }
    }
}

static bool describe(uint32_t index, tt_name_t *name)
{
    static char text[32];
    (void)snprintf(text, sizeof text, "thread_number_%02u", index % 100u);
    *name = (tt_name_t){.kind = TT_OBJECT_KIND_THREAD, .id = index, .text = text};
    return index < threads;
}

/* Simulate a millisecond. */
static void live(uint32_t ms, uint32_t events_per_s, bool announces)
{
    static uint32_t bits;
    static uint32_t events;
    plain_port.now_ticks = ms;
    bits += baud;
    uint32_t sent = bits / (BITS_PER_BYTE * MS_PER_S);
    bits -= sent * BITS_PER_BYTE * MS_PER_S;
    fifo_bytes -= sent < fifo_bytes ? sent : fifo_bytes;
    for (events += events_per_s; events >= MS_PER_S; events -= MS_PER_S) {
        tt_emit_user_user(1, ms, 0);
    }
    if (ms % DRAIN_PERIOD_MS != 0u) {
        return;
    }
    tt_clock_poll();
    if (ms % MS_PER_S == 0u) {
        for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
            tt_flush(stream);
        }
        if (announces) {
            tt_drain_announce();
        }
    }
    while (tt_drain_step()) {
    }
}

static uint64_t sent_records(void)
{
    uint64_t sent = 0;
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        tt_ring_status_t status;
        EXPECT_EQUAL(tt_ring_status(stream, 0, &status), TT_OK);
        sent += status.sent;
    }
    return sent;
}

static void finish(void)
{
    without_limit = true;
    fifo_bytes = 0;
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        EXPECT_EQUAL(tt_stop(stream), TT_OK);
    }
    while (tt_drain_step()) {
    }
    EXPECT(tt_drain_done());
    EXPECT_EQUAL(fclose(link_file), 0);
}

int main(int argc, char **argv)
{
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    static const tt_target_t target = {.name = "slow", .tick_hz = MS_PER_S, .describe = describe};
    EXPECT_EQUAL(argc, 7);
    baud = (uint32_t)strtoul(argv[1], NULL, 10);
    threads = (uint32_t)strtoul(argv[2], NULL, 10);
    uint32_t events_per_s = (uint32_t)strtoul(argv[3], NULL, 10);
    uint32_t end_ms = (uint32_t)strtoul(argv[4], NULL, 10) * MS_PER_S;
    bool announces = strcmp(argv[5], "0") != 0;
    link_file = fopen(argv[6], "wb");
    EXPECT(link_file != NULL);
    plain_port.step_ticks = 0;
    EXPECT_EQUAL(tt_init(&target, &link), TT_OK);
    without_limit = !announces;
    while (!announces && tt_drain_step()) {
    }
    without_limit = false;
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        EXPECT_EQUAL(tt_select_class(stream, TT_CLASS_USER, true), TT_OK);
        EXPECT_EQUAL(tt_start_without_state(stream), TT_OK);
    }
    for (uint32_t ms = 1; ms <= end_ms; ms++) {
        live(ms, events_per_s, announces);
    }
    printf("%llu\n", (unsigned long long)sent_records());
    finish();
    return plain_port.failures != 0;
}
