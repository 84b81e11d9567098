/*
 * Measures the cost of one event: each site_...() is one call of the recorder as an application
 * would write it. tools/bench/emit_cost.py runs this program in QEMU one instruction at a time and
 * counts the instructions from a site's first one to its return.
 *
 * Every site is called CALLS times after one call that opens a buffer; the ring is large enough for
 * all calls, so the common path is measured. Separate sites measure the full ring and the slow
 * paths.
 */
#include "board.h"
#include "tickertape/add.h"
#include "tickertape/emitters.h"
#include "tickertape/filter.h"
#include "tickertape/log.h"
#include "tickertape/tickertape.h"

#define CALLS 20u

#define SITE __attribute__((noinline, noclone)) void

volatile uint32_t site_input[2] = {7, 9};

/* The empty call: the cost of entering and leaving a site. */
SITE site_empty(uint32_t a, uint32_t b);
SITE site_empty(uint32_t a, uint32_t b)
{
    __asm volatile("" ::"r"(a), "r"(b));
}

SITE site_event(uint32_t a, uint32_t b);
SITE site_event(uint32_t a, uint32_t b)
{
    tt_emit_user_user(3, a, b);
}

SITE site_context_switch(uint32_t a, uint32_t b);
SITE site_context_switch(uint32_t a, uint32_t b)
{
    tt_emit_sched_context_switch(a, b);
}

/* Class and number are constants, as in the emitters. */
SITE site_add_event(uint32_t a, uint32_t b);
SITE site_add_event(uint32_t a, uint32_t b)
{
    tt_add_event(TT_CLASS_USER, 5, a, b);
}

SITE site_filtered(uint32_t a, uint32_t b);
SITE site_filtered(uint32_t a, uint32_t b)
{
    tt_emit_sync_mutex_unlock(a, b);
}

SITE site_full(uint32_t a, uint32_t b);
SITE site_full(uint32_t a, uint32_t b)
{
    tt_emit_user_user(3, a, b);
}

SITE site_string(uint32_t a, uint32_t b);
SITE site_string(uint32_t a, uint32_t b)
{
    tt_add_d2_string(TT_CLASS_USER, 6, a, b, "twelve bytes");
}

/* Formatted messages with one, two and three words, and one with two words and a literal. */
SITE site_log_one(uint32_t a, uint32_t b);
SITE site_log_one(uint32_t a, uint32_t b)
{
    (void)b;
    tt_logf("a=%u", (unsigned)a);
}

SITE site_log_two(uint32_t a, uint32_t b);
SITE site_log_two(uint32_t a, uint32_t b)
{
    tt_logf("a=%u b=%d", (unsigned)a, (int)b);
}

SITE site_log_three(uint32_t a, uint32_t b);
SITE site_log_three(uint32_t a, uint32_t b)
{
    tt_logf("a=%u b=%u a=%u", (unsigned)a, (unsigned)b, (unsigned)a);
}

SITE site_log_text(uint32_t a, uint32_t b);
SITE site_log_text(uint32_t a, uint32_t b)
{
    tt_logf("a=%u b=%u %s", (unsigned)a, (unsigned)b, "twelve bytes");
}

SITE site_thread_filter(uint32_t a, uint32_t b);
SITE site_thread_filter(uint32_t a, uint32_t b)
{
    tt_emit_user_user(4, a, b);
}

/* Event types with a wide form: not selected, in the fast form, and in the wide form with five
 * words. */
SITE site_wide_filtered(uint32_t a, uint32_t b);
SITE site_wide_filtered(uint32_t a, uint32_t b)
{
    tt_emit_int_entry(a, b, site_input[0]);
}

SITE site_fast(uint32_t a, uint32_t b);
SITE site_fast(uint32_t a, uint32_t b)
{
    tt_emit_thread_ready(a, b, site_input[0], 1u, site_input[1]);
}

SITE site_wide(uint32_t a, uint32_t b);
SITE site_wide(uint32_t a, uint32_t b)
{
    tt_emit_thread_mutex(a, b, site_input[0], 1u, site_input[1]);
}

#if TT_CONFIG_STREAMS > 1
SITE site_streams(uint32_t a, uint32_t b);
SITE site_streams(uint32_t a, uint32_t b)
{
    tt_emit_user_user(7, a, b);
}
#endif

#if TT_CONFIG_EVENT_MASKS
/* Events that share an entry of the route table: one is selected by a mask, the others are not
 * selected. */
SITE site_single(uint32_t a, uint32_t b);
SITE site_single(uint32_t a, uint32_t b)
{
    tt_add_event(TT_CLASS_TRC, 1000, a, b);
}

SITE site_single_masked(uint32_t a, uint32_t b);
SITE site_single_masked(uint32_t a, uint32_t b)
{
    tt_add_event(TT_CLASS_TRC, 1001, a, b);
}
#endif

/* Marks the end of the measurement for tools/bench/emit_cost.py. */
SITE bench_done(void);
SITE bench_done(void)
{
    __asm volatile("");
}

static void run(void (*site)(uint32_t, uint32_t))
{
    for (uint32_t i = 0; i < CALLS; i++) {
        site(site_input[0], site_input[1]);
    }
}

static uint32_t no_room(void *context)
{
    (void)context;
    return 0;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
}

static void select(void)
{
    (void)tt_set_policy(0, TT_POLICY_DROP);
    (void)tt_select_class(0, TT_CLASS_USER, true);
    (void)tt_select_class(0, TT_CLASS_SCHED, true);
    (void)tt_select_class(0, TT_CLASS_SYSTEM, true);
    (void)tt_select_class(0, TT_CLASS_THREAD, true);
    (void)tt_set_wide(TT_CLASS_THREAD, TT_THREAD_MUTEX, true);
    (void)tt_set_thread_filter(TT_CLASS_USER, 4, 0, 1);
#if TT_CONFIG_STREAMS > 1
    for (uint32_t stream = 1; stream < TT_CONFIG_STREAMS; stream++) {
        (void)tt_set_policy(stream, TT_POLICY_DROP);
        (void)tt_select_event(stream, TT_CLASS_USER, 7, true);
        (void)tt_start(stream);
    }
#endif
#if TT_CONFIG_EVENT_MASKS
    for (uint32_t i = 0; i < TT_CONFIG_EVENT_MASKS; i++) {
        (void)tt_select_event(0, TT_CLASS_TRC, 1001u - TT_CONFIG_EVENT_MASKS + i, true);
    }
#endif
    (void)tt_start(0);
}

void application_main(void)
{
    static const tt_link_t link = {.room_bytes = no_room, .put = put};
    static const tt_target_t target = {.name = "emit_cost", .tick_hz = BOARD_CLOCK_HZ};
    (void)tt_init(&target, &link);
    select();
    run(site_event); /* opens the buffer; only the last calls of a site count */
    run(site_empty);
    run(site_event);
    run(site_context_switch);
    run(site_add_event);
    run(site_filtered);
    run(site_string);
    run(site_log_one);
    run(site_log_two);
    run(site_log_three);
    run(site_log_text);
    run(site_thread_filter);
    run(site_wide_filtered);
    run(site_fast);
    run(site_wide);
#if TT_CONFIG_EVENT_MASKS
    run(site_single);
    run(site_single_masked);
#endif
#if TT_CONFIG_STREAMS > 1
    run(site_streams);
#endif
    for (uint32_t i = 0; i < TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS; i++) {
        tt_emit_user_user(3, i, i);
    }
    run(site_full);
    bench_done();
    board_exit(0);
}
