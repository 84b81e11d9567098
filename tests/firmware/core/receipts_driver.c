/*
 * Counters that a host or a program reads while they change: an interrupt records, drops and reads
 * records on the target after each single instruction of the call that collects the counters.
 *
 *     settled records <= offered records, settled drops <= drops,
 *     settled records >= settled drops + sent, offered >= dropped + overwritten + sent
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "announce.h"
#include "ring.h"
#include "step_port.h"
#include "tickertape/emitters.h"
#include "tickertape/read.h"
#include "tickertape/tickertape.h"

static uint8_t link_bytes[1u << 14];
static uint32_t link_count;
static tt_ring_status_t counters;
static uint32_t failures;
static bool begun;     /* the frame has begun */
static bool collected; /* the frame had begun when the interrupt came */

static uint32_t room_bytes(void *context)
{
    (void)context;
    return (uint32_t)sizeof link_bytes - link_count;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    memcpy(link_bytes + link_count, bytes, count);
    link_count += count;
}

static uint32_t acquire(void *context, uint32_t ahead, uint8_t **bytes)
{
    begun = true;
    *bytes = link_bytes + link_count + ahead;
    return room_bytes(context) - ahead;
}

static void commit(void *context, uint32_t count)
{
    (void)context;
    link_count += count;
}

static void read_all(void)
{
    tt_reading_t reading;
    while (tt_acquire_buffer(0, &reading)) {
        tt_release_buffer(0, &reading, reading.count);
    }
}

/* Record more than the ring can hold, so that some records are dropped, and read. */
static void record_and_read(void)
{
    collected = begun;
    for (uint32_t i = 0; i < TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS + 40u; i++) {
        tt_emit_user_user(1, i, 0);
    }
    read_all();
    tt_emit_user_user(2, 0, 0);
    read_all();
}

/* Record, and send a buffer as the drain would from another thread. */
static void record_and_send(void)
{
    for (uint32_t i = 0; i < 3u * TT_CONFIG_BUFFER_RECORDS; i++) {
        tt_emit_user_user(1, i, 0);
    }
    (void)tt_drain_stream(0);
}

static void send_status(void)
{
    (void)tt_send_status(0, TT_CLASS_COUNT);
}

static void look(void)
{
    (void)tt_ring_status(0, 0, &counters);
}

static void begin(void)
{
    static const tt_target_t target = {.name = "receipts_driver", .tick_hz = 1000};
    static const tt_link_t link = {
        .room_bytes = room_bytes, .put = put, .acquire = acquire, .commit = commit};
    int result = tt_init(&target, &link);
    result |= tt_pause_drain(0, true); /* the drain sends STATUS only */
    result |= tt_select_class(0, TT_CLASS_USER, true);
    result |= tt_start_without_state(0);
    failures += result != TT_OK;
    for (uint32_t i = 0; i < 20u; i++) {
        tt_emit_user_user(0, i, 0);
    }
    link_count = 0;
    begun = false;
}

static void expect(bool holds, const char *what, long after)
{
    if (!holds) {
        failures++;
        printf("interrupted after %ld instructions: not %s\n", after, what);
    }
}

/* Decode the frame on the link and check its counters. */
static void check_status(long after)
{
    uint8_t plain[sizeof link_bytes];
    uint32_t count = 0;
    for (uint32_t in = 0; in + 1u < link_count;) {
        uint32_t code = link_bytes[in++];
        for (uint32_t i = 1; i < code; i++) {
            plain[count++] = link_bytes[in++];
        }
        plain[count] = 0;
        count += code != 0xffu;
    }
    tt_wire_status_t status;
    memcpy(&status, plain + sizeof(tt_wire_frame_header_t), sizeof status);
    expect(status.settled_ordinal <= status.offered, "settled <= offered", after);
    expect(status.settled_dropped <= status.dropped, "settled drops <= drops", after);
    expect(status.settled_ordinal >= status.settled_dropped + status.settled_sent,
           "settled >= settled drops + sent", after);
    expect(status.offered >= status.dropped + status.overwritten + status.settled_sent,
           "offered >= dropped + overwritten + sent", after);
}

static void check_counters(long after)
{
    expect(counters.offered >= counters.dropped + counters.overwritten + counters.sent,
           "offered >= dropped + overwritten + sent", after);
    expect(counters.overwritten >= counters.read, "overwritten >= read", after);
}

static void step_through(void (*call)(void), void (*interrupt)(void), void (*check)(long))
{
    bool served = true;
    long after = 0;
    collected = false;
    while (served && !collected) {
        begin();
        after++;
        served = step_call(call, after, interrupt);
        check(after);
    }
    expect(after > 50, "a call of more than 50 instructions", after);
}

int main(void)
{
    step_through(send_status, record_and_read, check_status);
    step_through(look, record_and_read, check_counters);
    step_through(look, record_and_send, check_counters);
    return failures == 0u ? 0 : 1;
}
