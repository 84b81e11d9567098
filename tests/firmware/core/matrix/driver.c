/*
 * Random operations on one configuration of the recorder, checked by truth.c.
 *
 *     driver SEED STEPS LINK_FILE
 *
 * Macros enable further operations: MATRIX_HANDLERS, MATRIX_WIDE, MATRIX_SHEDDING,
 * MATRIX_SWITCHING (policies and sizes change). Prints the numbers of offered and sent records for
 * each ring: "STREAM CPU OFFERED SENT".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tickertape/add.h"
#include "tickertape/combine.h"
#include "tickertape/define.h"
#include "tickertape/emitters.h"
#include "tickertape/filter.h"
#include "tickertape/read.h"
#include "tickertape/stream.h"
#include "tickertape/tickertape.h"
#include "truth.h"
#include "world.h"

#define HANG_SECONDS 20u
#define DRAIN_STEPS  1000000u
#define TEXT         "a text of some forty letters, all of them here"

static FILE *link_file;
static uint32_t link_room;
static bool draining;
static uint32_t wide_kinds;     /* kinds recorded in their wide form */
static uint32_t handled_kinds;  /* kinds with a handler */
static uint32_t filtered_kinds; /* kinds that are recorded for one thread only */
static bool verdict;            /* result of the handler */
static bool is_filtered_thread;
static bool changes_policy; /* an interrupt may see the new policy before the table does */

/* Return the number of records of a combine event with a payload of `bytes`. */
static uint32_t records_of(uint32_t bytes)
{
    uint32_t records = ((bytes + 3u) / 4u + 2u) / 2u;
    return records < 2u ? 2u : records;
}

/* Record one event of one record, of any type. */
static void record_plain(kind_t kind, uint32_t n)
{
    tt_add_event(truth_types[kind].event_class, truth_types[kind].event, n, CHECK(n));
}

static void record(kind_t kind, uint32_t n, uint32_t bytes)
{
    const uint32_t words[16] = {n, CHECK(n)};
    char text[sizeof TEXT];
    (void)snprintf(text, sizeof text, "%.*s", (int)bytes, TEXT);
    switch (kind) {
    case KIND_USER:
        tt_emit_user_user(1, n, CHECK(n));
        break;
    case KIND_SWITCH:
        tt_emit_sched_context_switch(n, CHECK(n));
        break;
    case KIND_READY:
        tt_emit_thread_ready(n, CHECK(n), 1, 2, 3);
        break;
    case KIND_TEXT:
        tt_emit_system_slog(n, CHECK(n), text);
        break;
    case KIND_PLAIN:
        record_plain(kind, n);
        break;
    case KIND_BYTES:
        tt_add_buffer(truth_types[kind].event_class, truth_types[kind].event, words, 8u + bytes);
        break;
    case KIND_WORDS_TEXT:
        tt_add_d2_string(truth_types[kind].event_class, truth_types[kind].event, n, CHECK(n), text);
        break;
    case KIND_ENTRY:
        tt_emit_int_entry(n, CHECK(n), 9);
        break;
    default: {
        tt_combine_t combine;
        tt_combine_begin(&combine, truth_types[kind].event_class, truth_types[kind].event);
        tt_combine_add(&combine, words, 8);
        tt_combine_add(&combine, &words[2], bytes);
        tt_combine_end(&combine);
    }
    }
}

static uint32_t records_of_kind(kind_t kind, uint32_t bytes)
{
    bool wide = ((wide_kinds >> kind) & 1u) != 0u;
    switch (kind) {
    case KIND_USER:
    case KIND_SWITCH:
    case KIND_PLAIN:
        return 1;
    case KIND_READY:
        return wide ? records_of(5u * 4u) : 1u;
    case KIND_ENTRY:
        return wide ? records_of(3u * 4u) : 1u;
    default:
        return records_of(8u + bytes);
    }
}

static void emit(void)
{
    bool verdict_before = verdict;
    bool thread_before = is_filtered_thread;
    kind_t kind = (kind_t)world_below(KIND_COUNT);
    uint32_t bytes = world_below(sizeof TEXT);
    verdict = world_below(2) != 0u;
    is_filtered_thread = world_below(2) != 0u;
    bool passes = (verdict || ((handled_kinds >> kind) & 1u) == 0u) &&
                  (is_filtered_thread || ((filtered_kinds >> kind) & 1u) == 0u);
    bool plain = world_once_in(4);
    uint32_t records = plain ? 1u : records_of_kind(kind, bytes);
    uint32_t n = truth_begin(kind, world_cpu(), records, passes);
    if (plain) {
        record_plain(kind, n);
    } else {
        record(kind, n, bytes);
    }
    truth_end();
    verdict = verdict_before;
    is_filtered_thread = thread_before;
}

/* Select or deselect one event type, its class, or all. */
static void select_something(void)
{
    uint32_t stream = world_below(STREAMS);
    bool take = world_below(3) != 0u;
    kind_t kind = (kind_t)world_below(KIND_ALL);
    const kind_type_t *type = &truth_types[kind];
    if (world_once_in(20)) {
        truth_selects(stream, (1u << KIND_ALL) - 1u, take);
        EXPECT(tt_select_all(stream, take) == TT_OK);
    } else if (kind != KIND_TRACER && world_below(2) != 0u) {
        truth_selects(stream, 1u << kind, take);
        EXPECT(tt_select_event(stream, type->event_class, type->event, take) == TT_OK);
    } else {
        truth_selects(stream, 1u << kind, take);
        EXPECT(tt_select_class(stream, type->event_class, take) == TT_OK);
    }
    truth_changed();
}

static void start(uint32_t stream)
{
    uint32_t cpu = world_cpu();
    truth_runs(stream, true);
    EXPECT(tt_start(stream) == TT_OK);
    truth_changed();
    truth_tracer((1u << STREAMS) - 1u, cpu, false);
}

/* STOP is recorded before the stream stops. */
static void stop(uint32_t stream)
{
    uint32_t cpu = world_cpu();
    truth_tracer((1u << STREAMS) - 1u, cpu, false);
    truth_runs(stream, false);
    EXPECT(tt_stop(stream) == TT_OK);
    truth_changed();
}

static void finalize(void)
{
#if TT_CONFIG_FINALIZE
    uint32_t stream = world_below(STREAMS);
    uint32_t cpu = world_cpu();
    int result = tt_finalize(stream);
    bool finalizes = truth_policy_of(stream) >= TT_POLICY_FINALIZE;
    EXPECT((result == TT_ERROR_STATE) == !finalizes || changes_policy);
    if (result == TT_OK) {
        truth_tracer(1u << stream, cpu, true);
    }
#endif
}

/* Enter streams that have stopped themselves because they were full. */
static void look_for_full_streams(void)
{
    for (uint32_t i = 0; i < STREAMS && !truth_is_changing(); i++) {
        tt_ring_status_t status;
        EXPECT(tt_ring_status(i, world_below(CPUS), &status) == TT_OK);
        EXPECT(status.offered >= status.dropped + status.overwritten + status.sent);
        if (!status.running && truth_running(i)) {
            truth_stopped_itself(i);
        }
    }
}

#if TT_CONFIG_READERS
static tt_reading_t readings[STREAMS];
static bool reads[STREAMS];

static void read_something(void)
{
    static bool inside; /* there is only one reader */
    uint32_t stream = world_below(STREAMS);
    if (inside) {
        return;
    }
    inside = true;
    if (!reads[stream]) {
        reads[stream] = tt_acquire_buffer(stream, &readings[stream]);
        if (reads[stream]) {
            truth_see(stream, 0, readings[stream].records, readings[stream].count, true);
        }
    } else {
        tt_release_buffer(stream, &readings[stream], world_below(readings[stream].count + 1u));
        reads[stream] = false;
    }
    inside = false;
}
#endif

static void change_modes(void)
{
    uint32_t stream = world_below(STREAMS);
    switch (world_below(6)) {
    case 0:
        (void)tt_set_packing(world_below(2) != 0u);
        break;
    case 1:
        EXPECT(tt_pause_drain(stream, world_once_in(4)) == TT_OK);
        break;
    case 2:
        tt_drain_announce();
        break;
#if MATRIX_SHEDDING
    case 3:
        EXPECT(tt_set_shedding(stream, world_below(2) * (1u << TT_CLASS_USER | 1u << 22),
                               world_below(TT_CONFIG_BUFFERS)) == TT_OK);
        break;
#endif
#if TT_CONFIG_STREAM_NAMES
    case 4:
        EXPECT(tt_name_stream(stream, world_below(3) == 0u ? NULL : "a stream") == TT_OK);
        (void)tt_stream_attach(stream, world_below(4) != 0u);
        tt_flush_attached();
        break;
#endif
#if TT_CONFIG_DEFINITIONS > 0
    case 5:
        (void)tt_define_by_name("name", 1u + world_below(4));
        break;
#endif
    default:
        break;
    }
}

/* Do something in any context. */
static void do_anywhere(void)
{
    switch (world_below(16)) {
    case 0:
        tt_clock_poll();
        break;
    case 1:
        tt_flush(world_below(STREAMS));
        break;
    case 2:
        tt_flush_all(world_below(STREAMS));
        break;
    case 3:
        finalize();
        break;
    case 4:
        if (!truth_is_changing() && world_once_in(4)) {
            select_something();
        }
        break;
    case 5:
        if (!truth_is_changing() && world_once_in(20)) {
            look_for_full_streams();
            stop(world_below(STREAMS));
        }
        break;
#if TT_CONFIG_READERS
    case 6:
        read_something();
        break;
#endif
    default:
        emit();
    }
}

static bool ask(const tt_event_view_t *view)
{
    (void)view;
    return verdict;
}

/* Change filters and forms of event types; without interrupts, so that the table is exact. */
static void change_filters(void)
{
    world_interrupts(NULL);
    kind_t kind = (kind_t)world_below(KIND_COUNT);
    uint32_t event_class = truth_types[kind].event_class;
    uint32_t event = world_below(2) != 0u ? TT_EVERY_EVENT : truth_types[kind].event;
    uint32_t bit = 1u << kind;
    if (MATRIX_HANDLERS && world_below(2) != 0u) {
        (void)tt_remove_handler(event_class, TT_EVERY_EVENT);
        (void)tt_remove_handler(event_class, truth_types[kind].event);
        handled_kinds &= ~bit;
        if (world_once_in(4) && tt_add_handler(event_class, event, ask, NULL) == TT_OK) {
            handled_kinds |= bit;
        }
    } else if (MATRIX_HANDLERS) {
        (void)tt_set_thread_filter(event_class, TT_EVERY_EVENT, 0, 0);
        (void)tt_set_thread_filter(event_class, truth_types[kind].event, 0, 0);
        filtered_kinds &= ~bit;
        if (world_once_in(4) && tt_set_thread_filter(event_class, event, 0, 7) == TT_OK) {
            filtered_kinds |= bit;
        }
    }
    bool wide = MATRIX_WIDE && world_below(2) != 0u;
    EXPECT(tt_set_wide(event_class, event, wide) == TT_OK);
    wide_kinds = wide ? wide_kinds | bit : wide_kinds & ~bit;
    EXPECT(tt_set_wide(TT_CLASS_TRACER, TT_TRACER_START, wide) == TT_OK);
    world_interrupts(do_anywhere);
}

/* Change policy and size; the recorder refuses while the stream runs or buffers wait. */
static void change_stream(uint32_t stream)
{
    tt_policy_t policy = (tt_policy_t)world_below(5);
    bool exists = policy < TT_POLICY_FINALIZE || TT_CONFIG_FINALIZE;
    changes_policy = true;
    int result = tt_set_policy(stream, policy);
    EXPECT(exists ? result != TT_ERROR_ARGUMENT : result == TT_ERROR_ARGUMENT);
    EXPECT(result != TT_OK || !truth_running(stream));
    if (result == TT_OK) {
        truth_policy(stream, policy);
    }
    changes_policy = false;
    if (tt_set_buffers(stream, 2u + world_below(TT_CONFIG_BUFFERS - 1u)) == TT_OK) {
        EXPECT(!truth_running(stream));
    }
}

static void drain(void)
{
    uint32_t cpu = world_cpu();
    draining = true;
    world_migrates(CPUS > 1);
    if (world_once_in(8)) {
        (void)tt_drain_stream(world_below(STREAMS));
    } else {
        uint32_t lingering = truth_lingering();
        (void)tt_drain_step();
        truth_routes_follow(lingering);
    }
    world_migrates(false);
    world_move_to(cpu);
    draining = false;
}

static void step(void)
{
    uint32_t stream = world_below(STREAMS);
    world_move_to(world_below(CPUS));
    look_for_full_streams();
    switch (world_below(24)) {
    case 0:
        change_filters();
        break;
    case 1:
        change_modes();
        break;
    case 2:
        if (!truth_running(stream) || world_once_in(8)) {
            start(stream);
        }
        break;
    case 3:
        if (world_once_in(4)) {
            stop(stream);
        }
        break;
    case 4:
        if (MATRIX_SWITCHING) {
            change_stream(stream);
        }
        break;
    case 5:
        link_room = world_below(3) == 0u ? 0u : world_below(60000);
        break;
    case 6:
    case 7:
    case 8:
        drain();
        break;
    default:
        do_anywhere();
    }
}

static uint32_t room_bytes(void *context)
{
    (void)context;
    return link_room;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    EXPECT(draining && count <= link_room);
    link_room -= count;
    EXPECT(fwrite(bytes, 1, count, link_file) == count);
}

static void tap(void *context, const tt_sent_buffer_t *buffer)
{
    uint32_t stream = (uint32_t)(uintptr_t)context;
    truth_see(stream, buffer->cpu, buffer->records, buffer->count, false);
}

static void current_thread(uint32_t *pid, uint32_t *tid)
{
    *pid = 0;
    *tid = is_filtered_thread ? 7u : 8u;
}

static void begin(void)
{
    static const tt_target_t target = {
        .name = "matrix", .tick_hz = 1000000u, .current_thread = current_thread};
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    EXPECT(tt_init(&target, &link) == TT_OK);
    for (uint32_t i = 0; i < STREAMS; i++) {
        truth_policy(i, TT_CONFIG_POLICY);
        EXPECT(tt_set_buffer_callback(i, tap, (void *)(uintptr_t)i) == TT_OK);
        truth_selects(i, (1u << KIND_ALL) - 1u, true);
        EXPECT(tt_select_all(i, true) == TT_OK);
        truth_changed();
        start(i);
    }
    world_interrupts(do_anywhere);
}

/* Deliver all waiting records; the recorder has to report the end. */
static void finish(void)
{
    world_interrupts(NULL);
    for (uint32_t i = 0; i < STREAMS; i++) {
        look_for_full_streams();
        stop(i);
        EXPECT(tt_pause_drain(i, false) == TT_OK);
#if TT_CONFIG_READERS
        if (reads[i]) {
            tt_release_buffer(i, &readings[i], readings[i].count);
        }
#endif
    }
    draining = true;
    for (uint32_t steps = 0; !tt_drain_done(); steps++) {
        EXPECT(steps < DRAIN_STEPS);
        link_room = 1u << 20;
        world_move_to(steps % CPUS);
        tt_clock_poll();
        (void)tt_drain_step();
    }
    for (uint32_t i = 0; i < STREAMS * CPUS; i++) {
        tt_ring_status_t status;
        EXPECT(tt_ring_status(i / CPUS, i % CPUS, &status) == TT_OK);
        truth_settle(i / CPUS, i % CPUS, &status);
        printf("%" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 "\n", i / CPUS, i % CPUS,
               status.offered, status.sent);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4 || (link_file = fopen(argv[3], "wb")) == NULL) {
        return 2;
    }
    (void)alarm(HANG_SECONDS);
    world_seed(strtoull(argv[1], NULL, 10));
    begin();
    for (unsigned long i = 0; i < strtoul(argv[2], NULL, 10); i++) {
        step();
    }
    finish();
    return fclose(link_file) == 0 ? 0 : 1;
}
