/* Records texts and words by trace_logf() and similar functions; test_qnx.py expects them. */
#include <stddef.h>

#include "board.h"
#include "kernel.h"
#include "tickertape/qnx.h"
#include "tickertape/tickertape.h"

#define LONG_TEXT "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* The boards' C library refers to it, but needs no memory for these formats. */
void *_sbrk(ptrdiff_t count);
void *_sbrk(ptrdiff_t count)
{
    (void)count;
    return (void *)-1;
}

static int failures;

static void expect(int value, int wanted)
{
    failures += value != wanted;
}

static void record_texts(void)
{
    static const uint8_t bytes[] = {1, 2, 3, 4, 5};
    expect(trace_logf(5, "x=%d y=%u", -5, 7u), 8);
    expect(trace_logf(1023, "<%s> %x %c", "motor", 0xbeefu, 'a'), 14);
    expect(trace_logf(6, "%s", ""), 0);
    expect(trace_nlogf(7, 4, "%d", 1234), 4);
    expect(trace_nlogf(7, 4, "%d", 12345), 4);
    expect(trace_nlogf(7, -1, "%d", 1), 0);
    expect(trace_logf(8, "%s%s%s", LONG_TEXT, LONG_TEXT, "!"), TT_QNX_LOG_BYTES);
    expect(trace_logi(9, 1, 2), 0);
    expect(trace_logb(10, bytes, sizeof bytes), 0);
    expect(trace_logbc(_TRACE_MAKE_CODE(TT_CLASS_APPLICATION_FIRST, 0), 11, bytes, 3), 0);
    expect(add_trace_string(_TRACE_MAKE_CODE(TT_CLASS_USER, 12), "two %d"), 0);
    (void)TraceEvent(_NTO_TRACE_DELEVENT, _NTO_TRACE_USER, 5);
    expect(trace_logf(5, "never seen %d", 1), 0);
}

static void record_all(void *argument)
{
    static tt_target_t target = {.name = "qnx_log"};
    (void)argument;
    target.tick_hz = BOARD_CLOCK_HZ;
    target.build_id = board_build_id();
    (void)tt_init(&target, board_trace_link());
    (void)tt_select_all(0, false);
    (void)tt_select_class(0, TT_CLASS_USER, true);
    (void)tt_select_class(0, TT_CLASS_APPLICATION_FIRST, true);
    (void)tt_start_without_state(0);
    record_texts();
    (void)tt_stop(0);
    while (!tt_drain_done() || !board_trace_sent()) {
        (void)tt_drain_step();
        board_yield();
    }
    board_exit(failures);
}

void application_main(void)
{
#if BOARD_BARE_METAL
    record_all(NULL);
#else
    static kernel_thread_t thread;
    static _Alignas(8) uint8_t stack[8192];
    (void)kernel_thread_create(&thread, "qnx_log", record_all, NULL, 10, stack, sizeof stack);
    kernel_start();
#endif
}
