/*
 * Every public call before tt_init() and after a failed tt_init(): it returns, records nothing and
 * sends nothing.
 */
#include <stddef.h>

#include "plain_port.h"
#include "tickertape/add.h"
#include "tickertape/combine.h"
#include "tickertape/define.h"
#include "tickertape/emitters.h"
#include "tickertape/filter.h"
#include "tickertape/stream.h"
#include "tickertape/tickertape.h"
#if TT_CONFIG_READERS
#include "tickertape/read.h"
#endif

static void take_buffer(void *context, const tt_sent_buffer_t *buffer)
{
    (void)context;
    (void)buffer;
    EXPECT(false); /* never called */
}

static void record(void)
{
    tt_combine_t combine;
    tt_emit_user_user(1, 2, 3);
    tt_emit_thread_running(1, 2, 3, 4, 5);
    tt_emit_system_slog(1, 2, "text");
    tt_add_event(TT_CLASS_USER, 1, 2, 3);
    tt_add_string(TT_CLASS_USER, 1, "text");
    tt_combine_begin(&combine, TT_CLASS_USER, 1);
    tt_combine_add(&combine, "text", 4);
    tt_combine_end(&combine);
}

static void control(void)
{
    EXPECT_EQUAL(tt_start(0), TT_ERROR_STATE);
    EXPECT_EQUAL(tt_start_without_state(0), TT_ERROR_STATE);
    EXPECT_EQUAL(tt_select_all(0, true), TT_OK);
    EXPECT_EQUAL(tt_set_wide(TT_CLASS_USER, TT_EVERY_EVENT, true), TT_OK);
    EXPECT_EQUAL(tt_set_shedding(0, 1, 1), TT_OK);
    EXPECT_EQUAL(tt_set_policy(0, TT_POLICY_DROP), TT_ERROR_STATE);
    EXPECT_EQUAL(tt_set_buffers(0, 2), TT_ERROR_STATE);
#if TT_CONFIG_FINALIZE
    uint32_t finished;
    uint32_t lost;
    EXPECT_EQUAL(tt_finalize(0), TT_ERROR_STATE);
    EXPECT_EQUAL(tt_finalized(0, &finished, &lost), TT_OK);
    EXPECT_EQUAL(finished, 0);
#endif
    tt_flush(0);
    tt_flush_all(0);
    tt_clock_poll();
    tt_drain_announce();
    EXPECT_EQUAL(tt_pause_drain(0, false), TT_OK);
    EXPECT_EQUAL(tt_set_buffer_callback(0, take_buffer, NULL), TT_OK);
    EXPECT_EQUAL(tt_stop(0), TT_OK);
    EXPECT_EQUAL(tt_clock_hz(), 0);
#if TT_CONFIG_STREAM_NAMES
    tt_flush_attached();
#endif
}

static void drain(void)
{
    EXPECT_EQUAL(tt_drain_step(), false);
    EXPECT_EQUAL(tt_drain_stream(0), false);
    EXPECT_EQUAL(tt_drain_done(), true);
#if TT_CONFIG_READERS
    tt_reading_t reading;
    EXPECT_EQUAL(tt_acquire_buffer(0, &reading), false);
    EXPECT_EQUAL(tt_buffers_in_use(0), 0);
    tt_run_closed(0, true);
    EXPECT_EQUAL(tt_is_running(0), false);
    tt_record_state(0);
    tt_record_closed(0, TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, 0u, TT_CLASS_USER, 1u), 1, 2);
#endif
}

static void everything(void)
{
    tt_ring_status_t status;
    record();
    control();
    record();
    drain();
    EXPECT_EQUAL(tt_ring_status(0, 0, &status), TT_OK);
    EXPECT_EQUAL(status.offered + status.sent, 0);
    EXPECT_EQUAL(status.running, false);
}

int main(void)
{
    static const tt_target_t no_clock = {.name = "uninitialised_driver", .tick_hz = 0};
    static const tt_target_t target = {.name = "uninitialised_driver", .tick_hz = 1000};
    everything();
    EXPECT_EQUAL(tt_init(&no_clock, &plain_port_closed_link), TT_ERROR_ARGUMENT);
    everything();
    EXPECT_EQUAL(tt_init(&target, NULL), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_init(NULL, &plain_port_closed_link), TT_ERROR_ARGUMENT);
    everything();
    EXPECT_EQUAL(tt_init(&target, &plain_port_closed_link), TT_OK);
    EXPECT_EQUAL(tt_start(0), TT_OK);
    EXPECT_EQUAL(tt_stop(0), TT_OK);
    return plain_port.failures == 0 ? 0 : 1;
}
