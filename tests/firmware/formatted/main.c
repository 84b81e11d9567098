/*
 * Records messages of every form, with many conversions. On Linux it also prints the C library's
 * text for the same formats and arguments; the host has to print the same text
 * (test_formatted.py).
 */
#include <stddef.h>

#include "board.h"
#include "kernel.h"
#include "say.h"
#include "tickertape/log.h"
#include "tickertape/tickertape.h"

#define ROUNDS 40

/* Send until no record waits: a ring is too small for all messages. */
static void send(void)
{
    tt_ring_status_t status;
    do {
        tt_flush_all(0);
        (void)tt_drain_step();
        board_yield();
        (void)tt_ring_status(0, 0, &status);
    } while (status.sent != status.offered);
}

static void say_all(int n)
{
    static char changing[] = "changing 0";
    static const char *const states[] = {"idle", "busy", ""};
    changing[9] = (char)('0' + n % 10);
    SAY("nothing to add, 100%%");
    SAY("n=%d", n);
    SAY("n=%u hex %#x", (unsigned)n, 0xbeefu);
    SAY("%5d|%-5d|%05d", -n, n, n);
    SAY("%hhd %hd %c", n, -n, 'a' + n % 26);
    SAY("%+d % d %.3d %o", n, n, n, (unsigned)n);
    SAY("%lld %llu %llx", -5000000000LL - n, 18446744073709551615ULL, 1ULL << 40);
    SAY("%f %.2e %g %10.3f|", n / 8.0, n * 1e10, n / 3.0, (double)n);
    SAY("<%s> <%s> <%s>", "literal", changing, states[n % 3]);
    SAY("<%8s> <%-8s> <%.3s>", "right", "left", "precise");
    SAY("%*d %-*d|", n % 7, n, 6, n);
    SAY("%d %d %d %d %d %d %d %s", 1, 2, 3, 4, 5, 6, n, changing);
    say_in_cpp(n);
}

static void record_all(void *argument)
{
    static tt_target_t target = {.name = "messages"};
    (void)argument;
    target.tick_hz = BOARD_CLOCK_HZ;
    target.build_id = board_build_id();
    (void)tt_init(&target, board_trace_link());
    (void)tt_select_all(0, false);
    (void)tt_select_class(0, TT_CLASS_SYSTEM, true);
    (void)tt_start_without_state(0);
    for (int n = 0; n < ROUNDS; n++) {
        say_all(n);
        send();
    }
    /* Messages are masked by their class, like every event. */
    (void)tt_select_class(0, TT_CLASS_SYSTEM, false);
    tt_logf("never seen %d", 1);
    tt_logf("never seen %d %d", 1, 2);
    tt_logf("never seen %d %d %d", 1, 2, 3);
    tt_logf("never seen %s", "text");
    (void)tt_stop(0);
    while (!tt_drain_done() || !board_trace_sent()) {
        (void)tt_drain_step();
        board_yield();
    }
    board_exit(0);
}

void application_main(void)
{
#if BOARD_BARE_METAL
    record_all(NULL);
#else
    static kernel_thread_t thread;
    static _Alignas(8) uint8_t stack[16384];
    (void)kernel_thread_create(&thread, "messages", record_all, NULL, 10, stack, sizeof stack);
    kernel_start();
#endif
}
