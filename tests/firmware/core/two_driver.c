/*
 * Two records in one step (tt_record_two): if both fit, they have one time. If a buffer ends
 * between them or none is free, they are recorded separately. All losses are counted.
 */
#include "plain_port.h"
#include "ring_read.h"
#include "tickertape/emit.h"
#include "tickertape/tickertape.h"

#define CALL TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, 0u, TT_CLASS_KERCALL, TT_KERCALL_SYNC_SEM_POST)
#define SYNC TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, 0u, TT_CLASS_SYNC, TT_SYNC_SEM_SIGNAL)

static uint32_t pairs;
static uint32_t split;    /* pairs with the end of a buffer between them */
static uint32_t together; /* pairs with one time */

static void begin(uint32_t policy)
{
    static const tt_target_t target = {.name = "two_driver", .tick_hz = 1000000};
    pairs = 0;
    split = 0;
    together = 0;
    plain_port.step_ticks = 1;
    EXPECT_EQUAL(tt_init(&target, &plain_port_closed_link), TT_OK);
    EXPECT_EQUAL(tt_set_policy(0, policy), TT_OK);
    EXPECT_EQUAL(tt_select_class(0, TT_CLASS_KERCALL, true), TT_OK);
    EXPECT_EQUAL(tt_select_class(0, TT_CLASS_SYNC, true), TT_OK);
    EXPECT_EQUAL(tt_start_without_state(0), TT_OK);
}

static void emit(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tt_record_two(pairs, ~pairs, CALL, SYNC);
        pairs++;
        EXPECT_EQUAL(plain_port.lock_depth, 0);
    }
}

/* Read all records of the ring and check that they form pairs; returns their number. */
static uint32_t read_all(uint32_t next)
{
    tt_ring_t *ring = &tt_rings[0][0];
    uint32_t count = 0;
    uint32_t time = 0;
    for (tt_buffer_t *buffer = tt_ring_acquire(ring); buffer != NULL;
         buffer = tt_ring_acquire(ring)) {
        const tt_record_t *records = tt_ring_records(ring, buffer);
        for (uint32_t i = 0; i < buffer->count; i++, next++, count++) {
            const tt_record_t *record = &records[i];
            bool second = next % 2u == 1u;
            EXPECT_EQUAL(record->header, second ? SYNC : CALL);
            EXPECT_EQUAL(record->data[0], next / 2u);
            EXPECT_EQUAL(record->data[1], second ? ~(next / 2u) : 0u);
            together += second && i > 0u && record->time == time;
            split += second && i == 0u && count > 0u;
            time = record->time;
        }
        tt_ring_release(ring, buffer);
    }
    return count;
}

/* `odd` 1 records the second half of a pair first, so that buffers, of an even size, end between
 * the two records of a pair. */
static void check(uint32_t policy, uint32_t count, uint32_t odd)
{
    tt_ring_status_t status;
    begin(policy);
    if (odd != 0u) {
        tt_record(pairs, ~pairs, SYNC, TT_ROUTE_STREAM_0);
        pairs++;
    }
    emit(count);
    EXPECT_EQUAL(tt_stop(0), TT_OK);
    tt_flush(0);
    EXPECT_EQUAL(tt_ring_status(0, 0, &status), TT_OK);
    uint32_t read = read_all((uint32_t)status.overwritten + odd);
    EXPECT_EQUAL(tt_ring_status(0, 0, &status), TT_OK);
    EXPECT_EQUAL(status.offered, 2u * count + odd);
    EXPECT_EQUAL(status.sent, read);
    EXPECT_EQUAL(status.offered, status.sent + status.dropped + status.overwritten);
    uint32_t room = TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS;
    EXPECT_EQUAL(status.dropped > 0u, policy == TT_POLICY_DROP && status.offered > room);
    EXPECT_EQUAL(status.overwritten > 0u, policy == TT_POLICY_OVERWRITE && status.offered > room);
    /* A pair takes two steps if a buffer opens or reaches its high-water mark. While records are
     * overwritten, any pair may take two steps: old records are counted one by one. */
    uint32_t apart = 4u * (read / TT_CONFIG_BUFFER_RECORDS + 1u);
    EXPECT_EQUAL(status.overwritten > 0u || together + apart >= read / 2u, true);
    EXPECT_EQUAL(split > 0u, odd != 0u && read > TT_CONFIG_BUFFER_RECORDS);
}

int main(void)
{
    const uint32_t half = TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS / 2u;
    const uint32_t counts[] = {1, 2, TT_CONFIG_BUFFER_RECORDS, half, half + 1u, 5u * half + 3u};
    for (uint32_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        check(TT_POLICY_DROP, counts[i], 0u);
        check(TT_POLICY_DROP, counts[i], 1u);
        check(TT_POLICY_OVERWRITE, counts[i], 0u);
        check(TT_POLICY_OVERWRITE, counts[i], 1u);
    }
    return plain_port.failures;
}
