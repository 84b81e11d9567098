/*
 * Measures how long the recorder masks interrupts: each site_...() calls a public function, or
 * records events in one way, in states that take it longest. tools/bench/masked.py runs this
 * program in QEMU one instruction at a time and finds the longest masked stretch of each site, in
 * builds with different buffer sizes, numbers of streams, policies and CPUs.
 *
 * A site that fills rings calls an emitter often enough to wrap each ring twice, so that its calls
 * include every switch of a buffer, every settle step and the high-water mark.
 */
#include "board.h"
#include "sites.h"
#include "tickertape/add.h"
#include "tickertape/combine.h"
#include "tickertape/define.h"
#include "tickertape/emitters.h"
#include "tickertape/filter.h"
#include "tickertape/log.h"
#include "tickertape/qnx.h"
#include "tickertape/read.h"
#include "tickertape/stream.h"
#include "tickertape/tickertape.h"

#define OBJECTS 3u

const char some_text[] = "a text of thirty-one characters";
static tt_ring_status_t ring_status;
static tt_wire_class_counters_t class_counters;
bool has_room;

static bool pass(const tt_event_view_t *view)
{
    return view->word_count > 0u;
}

void fill(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tt_emit_user_user(3, i, i);
    }
}

static void fill_with_texts(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tt_add_string(TT_CLASS_USER, 6, some_text);
    }
}

static void fill_wide(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tt_emit_thread_mutex(i, i, i, 1u, i);
    }
}

/* Record events of two classes in turn: one that is shed and one that is not. */
static void fill_shedding(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tt_emit_user_user(3, i, i);
        tt_emit_sched_context_switch(i, i);
    }
}

void drain(void)
{
    while (tt_drain_step()) {
    }
}

/* Emits. --------------------------------------------------------------------------------------- */

SITE(emit_simple, fill(3))
SITE(emit_simple_further_streams, fill(3))
SITE(emit_thread_filter, fill(3))
SITE(emit_handler, fill(3))
SITE(emit_full, fill(3))
SITE(emit_stopped, fill(3))
SITE(emit_overwrite, fill(2u * RECORDS))
SITE(emit_drop, fill(2u * RECORDS))
SITE(emit_until_full, fill(2u * RECORDS))
SITE(emit_shedding, fill_shedding(RECORDS))
SITE(emit_text, fill_with_texts(RECORDS / 3u))
SITE(emit_wide, fill_wide(RECORDS / 2u))
SITE(emit_streams_overwrite, fill(2u * RECORDS))
SITE(emit_streams_until_full, fill(2u * RECORDS))
#if TT_CONFIG_FINALIZE
SITE(emit_finalize, fill(2u * RECORDS))
SITE(emit_finalize_free, fill(2u * RECORDS))
#endif

/* Emits of any class. -------------------------------------------------------------------------- */

#define HEADER    TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0, 0, TT_CLASS_USER, 6)
#define ROUTE     (tt_route[tt_route_index(TT_CLASS_USER, 6)])
#define QNX_EVENT ((uint32_t)TT_CLASS_USER << 10 | 6u)

static const uint32_t some_words[4];
static tt_combine_t combine;

SITE(tt_record, TIMES(tt_record(i, i, HEADER, ROUTE)))
SITE(tt_record_two, TIMES(tt_record_two(i, i, HEADER, HEADER)))
SITE(tt_record_string, TIMES(tt_record_string(HEADER, ROUTE, i, i, some_text)))
SITE(tt_record_wide, TIMES(tt_record_wide(i, i, HEADER, ROUTE, some_words, 3)))
SITE(tt_record_payload, TIMES(tt_record_payload(HEADER, ROUTE, some_words, 2, some_text, 20)))
SITE(tt_record_pair, TIMES((void)tt_record_pair(HEADER, ROUTE, some_words, 12)))
SITE(tt_add_event, TIMES(tt_add_event(TT_CLASS_USER, 6, i, i)))
SITE(tt_add_buffer, TIMES(tt_add_buffer(TT_CLASS_USER, 6, some_text, 20)))
SITE(tt_add_string, TIMES(tt_add_string(TT_CLASS_USER, 6, some_text)))
SITE(tt_add_d1_string, TIMES(tt_add_d1_string(TT_CLASS_USER, 6, i, some_text)))
SITE(tt_add_d2_string, TIMES(tt_add_d2_string(TT_CLASS_USER, 6, i, i, some_text)))
SITE(tt_log_two, TIMES(tt_log_two((uint32_t)(uintptr_t)some_text, i, i, ROUTE)))
SITE(tt_log_three, TIMES(tt_log_three((uint32_t)(uintptr_t)some_text, i, i, i)))
SITE(tt_logf, TIMES(tt_logf("%u %s", (unsigned)i, some_text)))
SITE(tt_combine_begin, tt_combine_begin(&combine, TT_CLASS_USER, 6))
SITE(tt_combine_add, TIMES(tt_combine_add(&combine, some_text, 31)))
SITE(tt_combine_end, tt_combine_end(&combine))
SITE(add_trace_event, TIMES((void)add_trace_event(QNX_EVENT, i, i)))
SITE(add_trace_buffer, TIMES((void)add_trace_buffer(QNX_EVENT, some_text, 20)))
SITE(add_trace_string, TIMES((void)add_trace_string(QNX_EVENT, some_text)))
SITE(add_trace_d1_string, TIMES((void)add_trace_d1_string(QNX_EVENT, i, some_text)))
SITE(add_trace_d2_string, TIMES((void)add_trace_d2_string(QNX_EVENT, i, i, some_text)))
SITE(add_trace_b_init, (void)add_trace_b_init(&combine, QNX_EVENT))
SITE(add_trace_b_add, TIMES((void)add_trace_b_add(&combine, some_text, 31)))
SITE(add_trace_b_end, (void)add_trace_b_end(&combine))

/* Calls. --------------------------------------------------------------------------------------- */

SITE(tt_start, (void)tt_start(LAST))
SITE(tt_start_without_state, (void)tt_start_without_state(LAST))
SITE(tt_stop, (void)tt_stop(LAST))
SITE(tt_select_all, (void)tt_select_all(LAST, true))
SITE(tt_select_class, (void)tt_select_class(LAST, TT_CLASS_KERCALL, true))
/* One event with its own entry of the route table, and one that may have a mask. */
SITE(tt_select_event, (void)tt_select_event(LAST, TT_CLASS_USER, 3, true),
     (void)tt_select_event(LAST, TT_CLASS_USER, 100, false))
SITE(tt_set_wide, (void)tt_set_wide(TT_CLASS_KERCALL, TT_EVERY_EVENT, true))
SITE(tt_set_shedding, (void)tt_set_shedding(LAST, 1u, 2))
SITE(tt_set_packing, (void)tt_set_packing(true))
SITE(tt_set_buffers, (void)tt_set_buffers(LAST, 2))
SITE(tt_set_policy, (void)tt_set_policy(LAST, TT_POLICY_OVERWRITE))
SITE(tt_set_thread_filter, (void)tt_set_thread_filter(TT_CLASS_KERCALL, TT_EVERY_EVENT, 1, 2))
SITE(tt_add_handler, (void)tt_add_handler(TT_CLASS_KERCALL, TT_EVERY_EVENT, pass, NULL))
SITE(tt_remove_handler, (void)tt_remove_handler(TT_CLASS_KERCALL, TT_EVERY_EVENT))
SITE(tt_clear_filters, tt_clear_filters())
SITE(tt_clock_hz, (void)tt_clock_hz())
SITE(tt_set_answer, tt_set_answer(NULL, NULL))
SITE(tt_measure_cost, TIMES((void)tt_measure_cost()))
SITE(tt_flush, tt_flush(0))
SITE(tt_flush_all, tt_flush_all(0))
SITE(tt_clock_poll, tt_clock_poll())
SITE(tt_clock_poll_after, tt_clock_poll_after(64))
SITE(tt_clock_now, (void)tt_clock_now())
SITE(tt_drain_step, drain())
SITE(tt_drain_stream, while (tt_drain_stream(0)){})
SITE(tt_drain_done, (void)tt_drain_done())
SITE(tt_drain_waits, (void)tt_drain_waits())
SITE(tt_drain_announce, tt_drain_announce())
SITE(tt_pause_drain, (void)tt_pause_drain(LAST, true); (void)tt_pause_drain(LAST, false))
SITE(tt_set_buffer_callback, (void)tt_set_buffer_callback(LAST, NULL, NULL))
SITE(tt_ring_status, (void)tt_ring_status(LAST, 0, &ring_status))
SITE(tt_class_status, (void)tt_class_status(LAST, 0, TT_CLASS_USER, &class_counters))
#if TT_CONFIG_DEFINITIONS
SITE(tt_definition, (void)tt_definition(1))
SITE(tt_definition_name, (void)tt_definition_name(1))
SITE(tt_define, (void)tt_define(1, TT_CLASS_USER, 1, some_text))
SITE(tt_define_by_name, (void)tt_define_by_name(some_text, sizeof some_text - 1u))
#endif
#if TT_CONFIG_STREAM_NAMES
SITE(tt_stream_name, (void)tt_stream_name(LAST))
SITE(tt_stream_generation, (void)tt_stream_generation(LAST))
SITE(tt_stream_by_name, (void)tt_stream_by_name(some_text, sizeof some_text - 1u))
SITE(tt_stream_attached, (void)tt_stream_attached(LAST))
SITE(tt_name_stream, (void)tt_name_stream(LAST, some_text))
SITE(tt_stream_attach, (void)tt_stream_attach(LAST, true))
SITE(tt_flush_attached, tt_flush_attached())
#endif
#if TT_CONFIG_READERS
static tt_reading_t reading;
SITE(tt_acquire_buffer, (void)tt_acquire_buffer(0, &reading))
SITE(tt_release_buffer, tt_release_buffer(0, &reading, reading.count))
SITE(tt_buffers_in_use, (void)tt_buffers_in_use(0))
SITE(tt_buffers, (void)tt_buffers(0))
SITE(tt_selected, (void)tt_selected(0, TT_CLASS_USER, 3))
SITE(tt_is_running, (void)tt_is_running(0))
SITE(tt_run_closed, tt_run_closed(0, false))
SITE(tt_record_closed,
     tt_record_closed(0, TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, 0u, TT_CLASS_USER, 3u), 1, 2))
SITE(tt_full_ticks, (void)tt_full_ticks(0))
SITE(tt_record_state, tt_record_state(0))
#endif
#if TT_CONFIG_FINALIZE
SITE(tt_finalize, (void)tt_finalize(0))
SITE(tt_finalize_lost, (void)tt_finalize(0))
static uint32_t finished;
static uint32_t lost;
SITE(tt_finalized, (void)tt_finalized(0, &finished, &lost))
#endif

/* The system around it. ------------------------------------------------------------------------ */

static uint32_t room_bytes(void *context)
{
    (void)context;
    return has_room ? 1u << 20 : 0u;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
}

static bool describe(uint32_t index, tt_name_t *name)
{
    *name = (tt_name_t){.kind = TT_OBJECT_KIND_THREAD, .id = index, .parent = 1, .text = some_text};
    return index < OBJECTS;
}

static void current_thread(uint32_t *pid, uint32_t *tid)
{
    *pid = 1;
    *tid = 2;
}

static const tt_link_t link = {.room_bytes = room_bytes, .put = put, .get = commands_get};
static const tt_target_t target = {.name = "masked",
                                   .tick_hz = BOARD_CLOCK_HZ,
                                   .describe = describe,
                                   .current_thread = current_thread};

SITE(tt_init, (void)tt_init(&target, &link))

/* Stream 0 takes all events, the others none. */
void begin(tt_policy_t policy)
{
    (void)tt_init(&target, &link);
    (void)tt_set_policy(0, policy);
    (void)tt_select_all(0, true);
    has_room = false;
}

void begin_and_start(tt_policy_t policy)
{
    begin(policy);
    (void)tt_start_without_state(0);
}

/* Every stream takes class USER. */
static void begin_streams(tt_policy_t policy)
{
    begin(policy);
    for (uint32_t i = 0; i < TT_CONFIG_STREAMS; i++) {
        (void)tt_set_policy(i, policy);
        (void)tt_select_class(i, TT_CLASS_USER, true);
        (void)tt_start_without_state(i);
    }
}

static void set_filters(void)
{
    for (uint32_t i = 0; i < TT_CONFIG_FILTERS; i++) {
        (void)tt_set_thread_filter(8u + i, TT_EVERY_EVENT, 1, i);
    }
}

static void plain_emits(void)
{
    begin_and_start(TT_POLICY_DROP);
    site_tt_measure_cost(); /* in a buffer that has room for all of its events */
    begin_and_start(TT_POLICY_DROP);
    fill(2);
    site_emit_simple();
    (void)tt_set_thread_filter(TT_CLASS_USER, 3, 1, 2);
    site_emit_thread_filter();
    (void)tt_add_handler(TT_CLASS_USER, 3, pass, NULL);
    (void)tt_add_handler(TT_CLASS_USER, TT_EVERY_EVENT, pass, NULL);
    site_emit_handler();
    begin_streams(TT_POLICY_DROP);
    fill(2);
    site_emit_simple_further_streams();
}

static void emits_that_fill(void)
{
    begin_and_start(TT_POLICY_OVERWRITE);
    site_emit_overwrite();
    site_emit_text();
    site_tt_record();
    site_tt_record_two();
    site_tt_record_string();
    site_tt_record_wide();
    site_tt_record_payload();
    site_tt_record_pair();
    site_tt_add_event();
    site_tt_add_buffer();
    site_tt_add_string();
    site_tt_add_d1_string();
    site_tt_add_d2_string();
    site_tt_log_two();
    site_tt_log_three();
    site_tt_logf();
    site_tt_combine_begin();
    site_tt_combine_add();
    site_tt_combine_end();
    site_add_trace_event();
    site_add_trace_buffer();
    site_add_trace_string();
    site_add_trace_d1_string();
    site_add_trace_d2_string();
    site_add_trace_b_init();
    site_add_trace_b_add();
    site_add_trace_b_end();
    (void)tt_set_wide(TT_CLASS_THREAD, TT_EVERY_EVENT, true);
    site_emit_wide();
    site_tt_measure_cost();
    site_tt_flush();
    begin_and_start(TT_POLICY_DROP);
    site_emit_drop();
    site_emit_full();
    begin(TT_POLICY_UNTIL_FULL);
    set_filters();
    (void)tt_start_without_state(0);
    site_emit_until_full();
    site_emit_stopped();
    begin_and_start(TT_POLICY_DROP);
    (void)tt_set_shedding(0, 1u << TT_CLASS_USER, TT_CONFIG_BUFFERS / 2u);
    site_emit_shedding();
    begin_streams(TT_POLICY_OVERWRITE);
    site_emit_streams_overwrite();
    begin_streams(TT_POLICY_UNTIL_FULL);
    (void)tt_stop(0);
    (void)tt_set_policy(0, TT_POLICY_OVERWRITE);
    (void)tt_start_without_state(0);
    site_emit_streams_until_full();
}

#if TT_CONFIG_FINALIZE
static void finalized_traces(void)
{
    begin_and_start(TT_POLICY_FINALIZE_FREE);
    site_emit_finalize_free();
    for (uint32_t i = 0; i < TT_CONFIG_BUFFERS; i++) {
        fill(TT_CONFIG_BUFFER_RECORDS + 3u);
        site_tt_finalize();
    }
    begin_and_start(TT_POLICY_FINALIZE);
    site_emit_finalize();
    for (uint32_t i = 0; i + 1u < TT_CONFIG_BUFFERS; i++) {
        fill(2u * TT_CONFIG_BUFFER_RECORDS - 3u);
        site_tt_finalize();
    }
    fill(2u * TT_CONFIG_BUFFER_RECORDS - 9u);
    site_tt_finalize_lost();
    fill(TT_CONFIG_BUFFER_RECORDS - 1u);
    site_tt_finalize_lost();
    site_tt_finalized();
    has_room = true;
    site_tt_drain_step();
}
#endif

#if TT_CONFIG_READERS
/* The open buffer overwrites older records, so acquiring it has to settle all of them. */
static void readers(void)
{
    begin_and_start(TT_POLICY_OVERWRITE);
    fill(RECORDS + 1u);
    for (uint32_t i = 0; i < TT_CONFIG_BUFFERS; i++) {
        site_tt_acquire_buffer();
        site_tt_release_buffer();
    }
    site_tt_buffers_in_use();
    site_tt_full_ticks();
    site_tt_buffers();
    site_tt_selected();
    site_tt_is_running();
    fill(RECORDS);
    site_tt_run_closed();
    site_tt_record_closed();
    site_tt_record_state();
}
#endif

static void calls(void)
{
    begin_and_start(TT_POLICY_OVERWRITE);
    (void)tt_select_all(LAST, true);
    fill(RECORDS + 1u);
    site_tt_start();
    site_tt_start_without_state();
    site_tt_select_all();
    site_tt_select_class();
    site_tt_select_event();
    site_tt_set_wide();
    site_tt_set_shedding();
    site_tt_set_packing();
    site_tt_ring_status();
    site_tt_class_status();
    site_tt_clock_poll();
    site_tt_clock_poll_after();
    site_tt_clock_now();
    site_tt_clock_hz();
    site_tt_set_answer();
    site_tt_pause_drain();
    site_tt_set_buffer_callback();
    site_tt_flush_all();
    site_tt_stop();
    site_tt_set_policy();
    site_tt_set_buffers();
#if TT_CONFIG_DEFINITIONS
    site_tt_definition();
    site_tt_definition_name();
    site_tt_define();
    site_tt_define_by_name();
#endif
#if TT_CONFIG_STREAM_NAMES
    site_tt_stream_name();
    site_tt_stream_generation();
    site_tt_stream_by_name();
    site_tt_stream_attached();
    site_tt_name_stream();
    site_tt_stream_attach();
    site_tt_flush_attached();
    (void)tt_stream_attach(LAST, false);
#endif
}

/* Calls with the largest number of filters, and with a ring to send. */
static void calls_with_filters(void)
{
    begin(TT_POLICY_OVERWRITE);
    (void)tt_select_all(LAST, true);
    set_filters();
    site_tt_start();
    site_tt_select_all();
    site_tt_select_class();
    site_tt_set_wide();
    site_tt_clear_filters();
    site_tt_set_thread_filter();
    site_tt_add_handler();
    site_tt_remove_handler();
    tt_clear_filters();
    fill(RECORDS + 1u);
    has_room = true;
    (void)tt_drain_stream(0);
    site_tt_drain_stream();
    fill(RECORDS + TT_CONFIG_BUFFER_RECORDS * 7u / 8u);
    site_tt_drain_announce();
    site_tt_drain_step();
    site_tt_stop();
    site_tt_drain_step();
    site_tt_drain_done();
    site_tt_drain_waits();
    site_tt_init();
}

void application_main(void)
{
    plain_emits();
    emits_that_fill();
#if TT_CONFIG_FINALIZE
    finalized_traces();
#endif
#if TT_CONFIG_READERS
    readers();
#endif
    calls();
    calls_with_filters();
    commands();
    qnx();
    board_exit(0);
}
