/*
 * Replays records at given times over a link of a given rate, in virtual time, so that a test can
 * compare a plan of the host with the actual losses. The clock has 1 MHz.
 *
 *     plan_driver BYTES_PER_S BUFFERS PACKED LATENCY_US LINK_FILE < RECORDS
 *
 * RECORDS are lines "MICROSECOND KIND DATA0 DATA1" in order of time. The drain runs whenever the
 * link can accept a frame, at most every LATENCY_US; it flushes and announces every second, like
 * ports. LINK_FILE receives the bytes of the link. Output: records offered, sent and dropped.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plain_port.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"

#define US_PER_S   1000000u
#define FIFO_BYTES 4096u
#define STREAM     0u

static double fifo_bytes;
static bool without_limit; /* the link takes no time */
static double bytes_per_us;
static uint32_t latency_us;
static FILE *link_file;

static uint32_t room_bytes(void *context)
{
    (void)context;
    return FIFO_BYTES - (uint32_t)fifo_bytes;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    EXPECT_EQUAL(fwrite(bytes, 1, count, link_file), count);
    fifo_bytes += without_limit ? 0.0 : (double)count;
}

static void drain(void)
{
    while (tt_drain_step()) {
    }
}

static void pass_a_microsecond(void)
{
    plain_port.now_ticks++;
    fifo_bytes = fifo_bytes > bytes_per_us ? fifo_bytes - bytes_per_us : 0.0;
    if (plain_port.now_ticks % US_PER_S == 0u) {
        tt_flush(STREAM);
        tt_drain_announce();
    }
    if (plain_port.now_ticks % latency_us == 0u) {
        drain();
    }
}

static void record(uint32_t kind, uint32_t data0, uint32_t data1)
{
    if (kind == 0u) {
        tt_emit_sync_mutex_lock_granted(data0, data1);
    } else if (kind == 1u) {
        tt_emit_int_handler_entry(data0, data1);
    } else {
        tt_emit_user_user(kind, data0, data1);
    }
}

static bool describe(uint32_t index, tt_name_t *name)
{
    static char text[32];
    (void)snprintf(text, sizeof text, "thread_number_%02u", index % 100u);
    *name = (tt_name_t){.kind = TT_OBJECT_KIND_THREAD, .id = index, .text = text};
    return index < 20u;
}

static void replay(void)
{
    uint32_t us;
    uint32_t kind;
    uint32_t data0;
    uint32_t data1;
    while (scanf("%" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32, &us, &kind, &data0, &data1) == 4) {
        while (plain_port.now_ticks < us) {
            pass_a_microsecond();
        }
        record(kind, data0, data1);
    }
}

int main(int argc, char **argv)
{
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    static const tt_target_t target = {.name = "plan", .tick_hz = US_PER_S, .describe = describe};
    EXPECT_EQUAL(argc, 6);
    bytes_per_us = strtod(argv[1], NULL) / US_PER_S;
    uint32_t buffers = (uint32_t)strtoul(argv[2], NULL, 10);
    bool packed = strcmp(argv[3], "1") == 0;
    latency_us = (uint32_t)strtoul(argv[4], NULL, 10);
    link_file = fopen(argv[5], "wb");
    EXPECT(link_file != NULL);
    plain_port.step_ticks = 0;
    EXPECT_EQUAL(tt_init(&target, &link), TT_OK);
    EXPECT_EQUAL(tt_set_packing(packed), TT_OK);
    EXPECT_EQUAL(tt_set_buffers(STREAM, buffers), TT_OK);
    EXPECT_EQUAL(tt_select_class(STREAM, TT_CLASS_SYNC, true), TT_OK);
    EXPECT_EQUAL(tt_select_class(STREAM, TT_CLASS_INT, true), TT_OK);
    EXPECT_EQUAL(tt_select_class(STREAM, TT_CLASS_USER, true), TT_OK);
    EXPECT_EQUAL(tt_start_without_state(STREAM), TT_OK);
    replay();
    without_limit = true;
    fifo_bytes = 0;
    EXPECT_EQUAL(tt_stop(STREAM), TT_OK);
    drain();
    EXPECT(tt_drain_done());
    EXPECT_EQUAL(fclose(link_file), 0);
    tt_ring_status_t status;
    EXPECT_EQUAL(tt_ring_status(STREAM, 0, &status), TT_OK);
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", status.offered, status.sent, status.dropped);
    return plain_port.failures != 0;
}
