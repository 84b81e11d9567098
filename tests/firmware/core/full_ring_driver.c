/*
 * A ring without a free buffer, with any policy and history: each record is counted, and every call
 * returns. SIGALRM ends a call that does not return.
 *
 * Policy and sizes change only while the rings are empty.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "plain_port.h"
#include "ring_read.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"

#define SECONDS_FOR_A_CALL 20u

static uint64_t offered;

static void still_running(int signal_number)
{
    static const char text[] = "a call has not returned\n";
    (void)signal_number;
    _exit(write(STDOUT_FILENO, text, sizeof text - 1u) > 0 ? 99 : 98);
}

static void begin(uint32_t policy)
{
    static const tt_target_t target = {.name = "full_ring_driver", .tick_hz = 1000000};
    offered = 0;
    EXPECT_EQUAL(tt_init(&target, &plain_port_closed_link), TT_OK);
    EXPECT_EQUAL(tt_set_policy(0, policy), TT_OK);
    EXPECT_EQUAL(tt_select_class(0, TT_CLASS_USER, true), TT_OK);
    EXPECT_EQUAL(tt_start_without_state(0), TT_OK);
}

static void emit(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tt_emit_user_user(1, (uint32_t)offered++, 0);
    }
}

static void restart(void)
{
    EXPECT_EQUAL(tt_stop(0), TT_OK);
    tt_flush(0);
    EXPECT_EQUAL(tt_start_without_state(0), TT_OK);
}

/* Take all waiting records and compare all counters; returns the number of dropped records. */
static uint64_t check_law(void)
{
    tt_ring_t *ring = &tt_rings[0][0];
    tt_ring_status_t status;
    tt_wire_class_counters_t counters;
    EXPECT_EQUAL(tt_stop(0), TT_OK);
    tt_flush(0);
    for (tt_buffer_t *buffer = tt_ring_acquire(ring); buffer != NULL;
         buffer = tt_ring_acquire(ring)) {
        tt_ring_release(ring, buffer);
    }
    EXPECT_EQUAL(tt_ring_empty(ring), true);
    EXPECT_EQUAL(tt_ring_status(0, 0, &status), TT_OK);
    EXPECT_EQUAL(tt_class_status(0, 0, TT_CLASS_USER, &counters), TT_OK);
    EXPECT_EQUAL(status.offered, offered);
    EXPECT_EQUAL(status.offered, status.sent + status.dropped + status.overwritten);
    EXPECT_EQUAL((uint32_t)status.dropped, counters.dropped); /* modulo 2^32 */
    EXPECT_EQUAL(status.overwritten, counters.overwritten);
    return status.dropped;
}

/* Finish a trace in each buffer but one; the stop closes that one. */
static void finalize_without_room(uint32_t policy)
{
    uint32_t finished = 0;
    uint32_t lost = 0;
    begin(policy);
    for (uint32_t i = 0; i + 1u < TT_CONFIG_BUFFERS; i++) {
        emit(3);
        EXPECT_EQUAL(tt_finalize(0), TT_OK);
    }
    emit(3);
    restart();
    emit(5); /* no buffer is free: this trace is lost */
    EXPECT_EQUAL(tt_finalize(0), TT_ERROR_FULL);
    EXPECT_EQUAL(tt_finalize(0), TT_OK); /* that trace was empty */
    EXPECT_EQUAL(tt_finalized(0, &finished, &lost), TT_OK);
    EXPECT_EQUAL(finished, TT_CONFIG_BUFFERS - 1u + 2u);
    EXPECT_EQUAL(lost, 1);
    emit(2);
    tt_ring_release(&tt_rings[0][0], tt_ring_acquire(&tt_rings[0][0]));
    emit(4); /* there is room for a part of the trace */
    tt_ring_release(&tt_rings[0][0], tt_ring_acquire(&tt_rings[0][0]));
    EXPECT_EQUAL(tt_finalize(0), TT_OK);
    EXPECT_EQUAL(check_law(), 7);
}

static void start_stop_and_flush(uint32_t policy)
{
    begin(policy);
    for (uint32_t i = 0; i < 3u * TT_CONFIG_BUFFERS; i++) {
        emit(1);
        restart();
    }
    uint64_t dropped = policy == TT_POLICY_OVERWRITE ? 0u : 2u * TT_CONFIG_BUFFERS;
    EXPECT_EQUAL(check_law(), dropped);
}

static void change(int expected)
{
    EXPECT_EQUAL(tt_set_policy(0, TT_POLICY_FINALIZE), expected);
    EXPECT_EQUAL(tt_set_policy(0, TT_POLICY_DROP), expected);
    EXPECT_EQUAL(tt_set_buffers(0, TT_CONFIG_BUFFERS - 1u), expected);
}

static void policies_change_where_rings_are_empty(void)
{
    begin(TT_POLICY_DROP);
    change(TT_ERROR_STATE); /* the stream runs */
    EXPECT_EQUAL(tt_stop(0), TT_OK);
    change(TT_OK);
    EXPECT_EQUAL(tt_start_without_state(0), TT_OK);
    emit(1);
    EXPECT_EQUAL(tt_stop(0), TT_OK);
    change(TT_ERROR_STATE); /* a buffer is open */
    tt_flush(0);
    change(TT_ERROR_STATE); /* a full buffer waits */
    tt_buffer_t *buffer = tt_ring_acquire(&tt_rings[0][0]);
    change(TT_ERROR_STATE); /* the buffer is being sent */
    tt_ring_release(&tt_rings[0][0], buffer);
    change(TT_OK);
    EXPECT_EQUAL(tt_set_policy(0, TT_POLICY_FINALIZE_FREE + 1u), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_set_policy(0, 0x100u), TT_ERROR_ARGUMENT); /* 0 in a one-byte enum (Arm) */
    EXPECT_EQUAL(tt_set_policy(0, 0x80000001u), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_set_policy(TT_CONFIG_STREAMS, TT_POLICY_DROP), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(check_law(), 0);
}

/* The stream stops while a trace has wrapped in its buffer. */
static void a_lapped_buffer_keeps_its_policy(void)
{
    begin(TT_POLICY_FINALIZE);
    emit(TT_CONFIG_BUFFER_RECORDS + 4u);
    EXPECT_EQUAL(tt_stop(0), TT_OK);
    EXPECT_EQUAL(tt_set_policy(0, TT_POLICY_DROP), TT_ERROR_STATE);
    EXPECT_EQUAL(tt_start_without_state(0), TT_OK);
    emit(2u * TT_CONFIG_BUFFER_RECORDS);
    EXPECT_EQUAL(check_law(), 0);
    EXPECT_EQUAL(tt_set_policy(0, TT_POLICY_DROP), TT_OK);
    EXPECT_EQUAL(tt_start_without_state(0), TT_OK);
    emit(2u * TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS);
    EXPECT_EQUAL(check_law(), TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS);
}

/* Shedding drops the chosen classes first while buffers are short; OVERWRITE sheds none. */
static void shed(uint32_t policy, uint32_t rounds)
{
    tt_wire_class_counters_t user;
    tt_wire_class_counters_t sched;
    begin(policy);
    EXPECT_EQUAL(tt_select_class(0, TT_CLASS_SCHED, true), TT_OK);
    EXPECT_EQUAL(tt_set_shedding(0, 1u << TT_CLASS_USER, 1), TT_OK);
    for (uint32_t round = 1; round <= rounds; round++) {
        uint32_t slow = 0;
        for (uint32_t i = 0; i < TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS / 2u; i++) {
            slow += tt_rings[0][0].cursor >= tt_rings[0][0].limit;
            emit(1);
            tt_emit_sched_context_switch(i, i);
        }
        EXPECT_EQUAL(tt_class_status(0, 0, TT_CLASS_USER, &user), TT_OK);
        EXPECT_EQUAL(tt_class_status(0, 0, TT_CLASS_SCHED, &sched), TT_OK);
        if (policy == TT_POLICY_OVERWRITE) {
            EXPECT_EQUAL(user.dropped + sched.dropped, 0);
            EXPECT_EQUAL(user.overwritten, sched.overwritten);
            EXPECT_EQUAL(slow < TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS / 4u, true);
        } else {
            EXPECT_EQUAL(user.dropped > sched.dropped, true);
        }
    }
    EXPECT_EQUAL(user.overwritten > 0u, policy == TT_POLICY_OVERWRITE);
}

/* More than 2^32 drops; the counters are preset as if all but `left` had happened already. */
static void more_drops_than_a_word_counts(uint32_t left)
{
    tt_ring_t *ring = &tt_rings[0][0];
    begin(TT_POLICY_DROP);
    emit(TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS + 1u);
    uint32_t earlier = UINT32_MAX - left - tt_peek(&ring->pending_drops);
    tt_poke(&ring->pending_drops, UINT32_MAX - left);
    tt_count(&ring->dropped_by_class[TT_CLASS_USER], earlier);
    offered += earlier;
    emit(left + 3u);
    EXPECT_EQUAL(check_law(), (uint64_t)UINT32_MAX + 3u);
}

/* A second writer, as with a port that returns a wrong CPU: bounds hold, a drop is counted. */
static void a_second_writer_is_found(ptrdiff_t cursor, bool closed)
{
    tt_ring_t *ring = &tt_rings[0][0];
    tt_wire_class_counters_t unknown;
    begin(TT_POLICY_DROP);
    emit(5);
    if (closed) {
        tt_flush(0);
    }
    ring->cursor = ring->base + cursor;
    emit(3u * TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS);
    EXPECT_EQUAL(ring->cursor >= ring->base, true);
    EXPECT_EQUAL(ring->cursor <= ring->base + TT_CONFIG_BUFFER_RECORDS, true);
    EXPECT_EQUAL(tt_class_status(0, 0, TT_CLASS_EMPTY, &unknown), TT_OK);
    EXPECT_EQUAL(unknown.dropped, 1);
    EXPECT_EQUAL(tt_stop(0), TT_OK);
    for (tt_buffer_t *buffer = tt_ring_acquire(ring); buffer != NULL;
         buffer = tt_ring_acquire(ring)) {
        EXPECT_EQUAL(buffer->count <= TT_CONFIG_BUFFER_RECORDS, true);
        tt_ring_release(ring, buffer);
    }
    tt_flush(0);
    tt_buffer_t *last = tt_ring_acquire(ring);
    if (last != NULL) {
        tt_ring_release(ring, last);
    }
    EXPECT_EQUAL(tt_ring_at_rest(ring), true);
}

int main(void)
{
    (void)signal(SIGALRM, still_running);
    (void)alarm(SECONDS_FOR_A_CALL);
    finalize_without_room(TT_POLICY_FINALIZE);
    finalize_without_room(TT_POLICY_FINALIZE_FREE);
    for (uint32_t policy = 0; policy <= TT_POLICY_FINALIZE_FREE; policy++) {
        if (policy != TT_POLICY_UNTIL_FULL) { /* UNTIL_FULL stops by itself */
            start_stop_and_flush(policy);
        }
    }
    policies_change_where_rings_are_empty();
    a_lapped_buffer_keeps_its_policy();
    shed(TT_POLICY_OVERWRITE, 4);
    shed(TT_POLICY_DROP, 4);
    more_drops_than_a_word_counts(1);
    more_drops_than_a_word_counts(1u << 20);
    a_second_writer_is_found((ptrdiff_t)TT_CONFIG_BUFFER_RECORDS + 1, false);
    a_second_writer_is_found(1, true);
    a_second_writer_is_found((ptrdiff_t)TT_CONFIG_BUFFER_RECORDS * TT_CONFIG_BUFFERS, true);
    return 0;
}
