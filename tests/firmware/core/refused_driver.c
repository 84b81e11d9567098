/*
 * Wrong arguments: public functions refuse numbers of streams that do not exist and names with a
 * zero byte, a new name of a stream ends its attachment, and a buffer can be released only once.
 * The counters of the streams stay unchanged, and the law of loss holds.
 */
#include <string.h>

#include "plain_port.h"
#include "tickertape/define.h"
#include "tickertape/emitters.h"
#include "tickertape/read.h"
#include "tickertape/stream.h"
#include "tickertape/tickertape.h"

#define HEADER TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, 0u, TT_CLASS_USER, 7u)

static void take_buffer(void *context, const tt_sent_buffer_t *buffer)
{
    (void)context;
    (void)buffer;
    EXPECT(false);
}

static void control(uint32_t wrong)
{
    EXPECT_EQUAL(tt_select_all(wrong, true), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_select_class(wrong, TT_CLASS_USER, true), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_select_event(wrong, TT_CLASS_USER, 1, true), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_set_shedding(wrong, 1, 1), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_set_buffers(wrong, 2), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_set_policy(wrong, TT_POLICY_DROP), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_start(wrong), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_start_without_state(wrong), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_stop(wrong), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_pause_drain(wrong, true), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_set_buffer_callback(wrong, take_buffer, NULL), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_drain_stream(wrong), false);
    tt_flush(wrong);
    tt_flush_all(wrong);
}

static void counters(uint32_t wrong)
{
    tt_ring_status_t status;
    tt_wire_class_counters_t of_class;
    EXPECT_EQUAL(tt_ring_status(wrong, 0, &status), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_ring_status(0, wrong, &status), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_class_status(wrong, 0, TT_CLASS_USER, &of_class), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_class_status(0, wrong, TT_CLASS_USER, &of_class), TT_ERROR_ARGUMENT);
}

static void names(uint32_t wrong)
{
    EXPECT_EQUAL(tt_name_stream(wrong, "name"), TT_ERROR_ARGUMENT);
    EXPECT(tt_stream_name(wrong) == NULL);
    EXPECT_EQUAL(tt_stream_generation(wrong), 0);
    EXPECT_EQUAL(tt_stream_attach(wrong, true), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_stream_attached(wrong), false);
}

#if TT_CONFIG_READERS
static void readers(uint32_t wrong)
{
    tt_reading_t reading = {.count = 1};
    EXPECT_EQUAL(tt_acquire_buffer(wrong, &reading), false);
    tt_release_buffer(wrong, &reading, 1);
    EXPECT_EQUAL(tt_buffers_in_use(wrong), 0);
    EXPECT_EQUAL(tt_buffers(wrong), 0);
    EXPECT_EQUAL(tt_full_ticks(wrong), 0);
    EXPECT_EQUAL(tt_selected(wrong, TT_CLASS_USER, 7), false);
    tt_run_closed(wrong, true);
    EXPECT_EQUAL(tt_is_running(wrong), false);
    tt_record_state(wrong);
    tt_record_closed(wrong, HEADER, 1, 2);
}

/* Release buffers twice, to another stream, or without having taken them. */
static void buffers(void)
{
    tt_reading_t reading = {.count = 1};
    static tt_ring_status_t before;
    static tt_ring_status_t after;
    tt_release_buffer(0, &reading, 1);
    tt_emit_user_user(7, 1, 2);
    EXPECT_EQUAL(tt_acquire_buffer(0, &reading), true);
    tt_release_buffer(1, &reading, reading.count);
    EXPECT_EQUAL(tt_buffers_in_use(0), 1);
    tt_release_buffer(0, &reading, reading.count);
    EXPECT_EQUAL(tt_ring_status(0, 0, &before), TT_OK);
    tt_release_buffer(0, &reading, reading.count);
    EXPECT_EQUAL(tt_ring_status(0, 0, &after), TT_OK);
    EXPECT_EQUAL(memcmp(&before, &after, sizeof before), 0);
    EXPECT_EQUAL(tt_buffers_in_use(0), 0);
    EXPECT_EQUAL(after.offered, after.overwritten);
}
#endif

static void zero_bytes(void)
{
    EXPECT_EQUAL(tt_name_stream(0, "one"), TT_OK);
    EXPECT_EQUAL(tt_stream_by_name("one", 3), 0);
    EXPECT_EQUAL(tt_stream_by_name("one\0", 4), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_stream_by_name("one\0\0", 5), TT_ERROR_ARGUMENT);
    int type = tt_define_by_name("one", 3);
    EXPECT(type > 0);
    EXPECT_EQUAL(tt_define_by_name("one\0", 4), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_define_by_name("o\0e", 3), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_define_by_name("\0", 1), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_define_by_name(NULL, 3), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_define_by_name("one", 3), type);
}

/* An attachment ends with the stream's name and does not apply to the next stream of its number. */
static void attached_before(void)
{
    EXPECT_EQUAL(tt_name_stream(0, "one"), TT_OK);
    EXPECT_EQUAL(tt_stream_attach(0, true), TT_OK);
    EXPECT(tt_stream_attached(0));
    EXPECT_EQUAL(tt_name_stream(0, NULL), TT_OK);
    EXPECT(!tt_stream_attached(0));
    EXPECT_EQUAL(tt_name_stream(0, "one"), TT_OK);
    EXPECT(!tt_stream_attached(0));
    EXPECT_EQUAL(tt_stream_attach(0, true), TT_OK);
    EXPECT(tt_stream_attached(0));
    EXPECT_EQUAL(tt_stream_attach(0, false), TT_OK);
    EXPECT(!tt_stream_attached(0));
}

int main(void)
{
    static const tt_target_t target = {.name = "refused_driver", .tick_hz = 1000};
    static const uint32_t wrong[] = {TT_CONFIG_STREAMS, 31, 255, 256, UINT32_MAX};
    EXPECT_EQUAL(tt_init(&target, &plain_port_closed_link), TT_OK);
    EXPECT_EQUAL(tt_pause_drain(0, true), TT_OK);
    EXPECT_EQUAL(tt_select_event(0, TT_CLASS_USER, 7, true), TT_OK);
    EXPECT_EQUAL(tt_start_without_state(0), TT_OK);
    static tt_ring_status_t before;
    static tt_ring_status_t after;
    EXPECT_EQUAL(tt_ring_status(0, 0, &before), TT_OK);
    for (uint32_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        control(wrong[i]);
        counters(wrong[i]);
        names(wrong[i]);
#if TT_CONFIG_READERS
        readers(wrong[i]);
#else
        EXPECT_EQUAL(tt_finalize(wrong[i]), TT_ERROR_ARGUMENT);
        EXPECT_EQUAL(tt_finalized(wrong[i], &(uint32_t){0}, &(uint32_t){0}), TT_ERROR_ARGUMENT);
#endif
    }
    EXPECT_EQUAL(tt_ring_status(0, 0, &after), TT_OK);
    EXPECT_EQUAL(memcmp(&before, &after, sizeof before), 0);
    zero_bytes();
    attached_before();
#if TT_CONFIG_READERS
    buffers();
#endif
    return plain_port.failures == 0 ? 0 : 1;
}
