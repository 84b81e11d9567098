/*
 * Policies FINALIZE and FINALIZE_FREE, compared with independent counts: the records of a trace,
 * traces that find no free buffer, and the law of loss at every step.
 *
 * Each record contains its ordinal.
 */
#include "plain_port.h"
#include "ring_read.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"

#define RECORDS       TT_CONFIG_BUFFER_RECORDS
#define KEPT_AT_LEAST (RECORDS - 7u)

static uint64_t offered;
static uint64_t random_state;

static void begin(tt_policy_t policy)
{
    static const tt_target_t target = {.name = "finalize_driver", .tick_hz = 1000000};
    offered = 0;
    EXPECT_EQUAL(tt_init(&target, &plain_port_closed_link), TT_OK);
    EXPECT_EQUAL(tt_set_policy(0, policy), TT_OK);
    EXPECT_EQUAL(tt_select_class(0, TT_CLASS_USER, true), TT_OK);
    EXPECT_EQUAL(tt_select_event(0, TT_CLASS_TRACER, TT_TRACER_FINALIZE, true), TT_OK);
    EXPECT_EQUAL(tt_start_without_state(0), TT_OK);
}

static void emit(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tt_emit_user_user(1, (uint32_t)offered, 0);
        offered++;
    }
}

static int finalize(void)
{
    bool records = tt_rings[0][0].cursor != tt_rings[0][0].base;
    int result = tt_finalize(0);
    offered += records && result == TT_OK;
    return result;
}

/* Check the law by the ring's counters; `waiting` records are in full and open buffers. */
static void check_law(uint64_t waiting)
{
    tt_ring_status_t status;
    uint64_t by_class = 0;
    EXPECT_EQUAL(tt_ring_status(0, 0, &status), TT_OK);
    EXPECT_EQUAL(status.offered, offered);
    EXPECT_EQUAL(status.dropped, 0);
    EXPECT_EQUAL(status.offered, status.sent + status.overwritten + waiting);
    for (uint32_t i = 0; i < TT_CLASS_COUNT; i++) {
        tt_wire_class_counters_t counters;
        EXPECT_EQUAL(tt_class_status(0, 0, i, &counters), TT_OK);
        by_class += counters.overwritten;
    }
    EXPECT_EQUAL(by_class, status.overwritten);
}

/* Check a taken buffer: records in order; the last one contains the number of the trace. */
static void check_trace(const tt_buffer_t *buffer, uint32_t trace, uint32_t lost)
{
    const tt_record_t *record = tt_ring_records(&tt_rings[0][0], buffer);
    const tt_record_t *last = record + buffer->count - 1u;
    EXPECT_EQUAL(buffer->ticks <= record->time, true);
    for (uint32_t i = 0; record < last; record++, i++) {
        EXPECT_EQUAL(record->data[0], buffer->first_ordinal + i);
        EXPECT_EQUAL(record[0].time < record[1].time, true);
    }
    EXPECT_EQUAL(last->header & TT_RECORD_EVENT_MASK, TT_TRACER_FINALIZE);
    EXPECT_EQUAL(last->data[0], trace);
    EXPECT_EQUAL(last->data[1], lost);
}

static tt_buffer_t *take(uint32_t trace, uint32_t lost)
{
    tt_buffer_t *buffer = tt_ring_acquire(&tt_rings[0][0]);
    EXPECT_EQUAL(buffer != NULL, true);
    check_trace(buffer, trace, lost);
    return buffer;
}

static void send(uint32_t trace, uint32_t lost)
{
    tt_ring_release(&tt_rings[0][0], take(trace, lost));
}

/* A trace of `count` records keeps all of them if they fit, else the newest. */
static void check_length(uint32_t count)
{
    begin(TT_POLICY_FINALIZE);
    emit(count);
    EXPECT_EQUAL(finalize(), TT_OK);
    tt_buffer_t *buffer = take(1, 0);
    uint32_t total = count + 1u;
    EXPECT_EQUAL(buffer->first_ordinal + buffer->count, total);
    if (total <= RECORDS) {
        EXPECT_EQUAL(buffer->count, total);
    } else {
        EXPECT_EQUAL(buffer->count >= KEPT_AT_LEAST && buffer->count <= RECORDS, true);
    }
    tt_ring_release(&tt_rings[0][0], buffer);
    check_law(0);
}

static void fill_all(tt_policy_t policy)
{
    begin(policy);
    for (uint32_t i = 0; i + 1u < TT_CONFIG_BUFFERS; i++) {
        emit(3);
        EXPECT_EQUAL(finalize(), TT_OK);
    }
}

/* If the reader is too slow, the finished trace is lost and the older traces are kept. */
static void check_loss(tt_policy_t policy)
{
    uint32_t finished = 0;
    uint32_t lost = 0;
    fill_all(policy);
    for (uint32_t count = 5; count < 60u; count += 20u) {
        emit(count);
        EXPECT_EQUAL(finalize(), TT_ERROR_FULL);
        check_law(4u * (TT_CONFIG_BUFFERS - 1u));
    }
    EXPECT_EQUAL(tt_finalized(0, &finished, &lost), TT_OK);
    EXPECT_EQUAL(finished, TT_CONFIG_BUFFERS - 1u + 3u);
    EXPECT_EQUAL(lost, 3);
    send(1, 0);
    emit(2);
    EXPECT_EQUAL(finalize(), TT_OK); /* a buffer is free again */
    for (uint32_t trace = 2; trace < TT_CONFIG_BUFFERS; trace++) {
        send(trace, 0);
    }
    send(TT_CONFIG_BUFFERS - 1u + 4u, 3);
    emit(1);
    EXPECT_EQUAL(finalize(), TT_OK);
    send(TT_CONFIG_BUFFERS - 1u + 5u, 0); /* no trace lost since the last one */
    check_law(0);
}

/* The reader releases a buffer other than the next one. */
static void check_free_ones(tt_policy_t policy, int expected)
{
    fill_all(policy);
    tt_buffer_t *first = take(1, 0);
    tt_ring_release(&tt_rings[0][0], take(2, 0));
    emit(3);
    EXPECT_EQUAL(finalize(), expected);
    emit(1); /* into the free buffer, or into the same one again */
    tt_ring_release(&tt_rings[0][0], first);
}

/* Only a stop closes a buffer whose trace is not finished. */
static void check_flush(void)
{
    begin(TT_POLICY_FINALIZE);
    emit(RECORDS * 2u + 5u);
    tt_flush(0);
    EXPECT_EQUAL(tt_ring_acquire(&tt_rings[0][0]) == NULL, true);
    EXPECT_EQUAL(tt_stop(0), TT_OK);
    tt_flush(0);
    tt_buffer_t *buffer = tt_ring_acquire(&tt_rings[0][0]);
    EXPECT_EQUAL(buffer != NULL, true);
    EXPECT_EQUAL(buffer->first_ordinal + buffer->count, offered);
    EXPECT_EQUAL(tt_ring_records(&tt_rings[0][0], buffer)->data[0], buffer->first_ordinal);
    tt_ring_release(&tt_rings[0][0], buffer);
    check_law(0);
}

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

static void check_random(tt_policy_t policy, uint64_t seed)
{
    tt_ring_t *ring = &tt_rings[0][0];
    begin(policy);
    random_state = seed;
    for (uint32_t step = 0; step < 3000u; step++) {
        emit(random_below(RECORDS * 3u));
        if (random_below(2) == 0u) {
            (void)finalize();
        }
        tt_buffer_t *buffer = random_below(3) == 0u ? tt_ring_acquire(ring) : NULL;
        if (buffer != NULL) {
            const tt_record_t *last = tt_ring_records(ring, buffer) + buffer->count - 1u;
            check_trace(buffer, last->data[0], last->data[1]);
            tt_ring_release(ring, buffer);
        }
    }
    EXPECT_EQUAL(tt_stop(0), TT_OK);
    tt_flush(0);
    for (tt_buffer_t *buffer = tt_ring_acquire(ring); buffer != NULL;
         buffer = tt_ring_acquire(ring)) {
        tt_ring_release(ring, buffer);
    }
    check_law(0);
}

int main(void)
{
    for (uint32_t count = 1; count < RECORDS * 4u; count++) {
        check_length(count);
    }
    check_loss(TT_POLICY_FINALIZE);
    check_loss(TT_POLICY_FINALIZE_FREE);
    check_free_ones(TT_POLICY_FINALIZE, TT_ERROR_FULL);
    check_free_ones(TT_POLICY_FINALIZE_FREE, TT_OK);
    check_flush();
    for (uint64_t seed = 1; seed <= 20u; seed++) {
        check_random(TT_POLICY_FINALIZE, seed);
        check_random(TT_POLICY_FINALIZE_FREE, seed);
    }
    begin(TT_POLICY_FINALIZE);
    EXPECT_EQUAL(finalize(), TT_OK); /* an empty trace is finished, too */
    EXPECT_EQUAL(tt_finalize(1), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_stop(0), TT_OK);
    EXPECT_EQUAL(tt_set_policy(0, TT_POLICY_DROP), TT_OK);
    EXPECT_EQUAL(tt_finalize(0), TT_ERROR_STATE);
    return 0;
}
