/*
 * CPU 1 drains. Its bytes have to leave the board although CPU 0, which serves the interrupts of
 * the link, puts no bytes itself. Finishes normally if they do, otherwise with exit code
 * EXIT_NOT_SENT.
 */
#include "board.h"
#include "kernel.h"
#include "tracer.h"

#define STACK_BYTES   1024u
#define PATIENCE      200u /* kernel ticks; the emulator sends within a few */
#define EXIT_NOT_SENT 9

/* Drain on this CPU; the drain's own thread waits meanwhile. */
static void drain_here(void *argument)
{
    (void)argument;
    tracer_drain_begin();
    tt_drain_announce();
    uint32_t begin_tick = kernel_ticks();
    for (;;) {
        bool idle = !tt_drain_step();
        if (idle && board_trace_sent()) {
            break;
        }
        if (kernel_ticks() - begin_tick > PATIENCE) {
            board_console_write("bytes wait unsent\n");
            board_exit(EXIT_NOT_SENT);
        }
        (void)kernel_sleep(1);
    }
    tracer_drain_end();
    tracer_finish();
}

void application_main(void)
{
    static kernel_thread_t thread;
    static _Alignas(8) uint8_t stack[STACK_BYTES];
    tracer_share_drain();
    tracer_start("second_cpu", NULL, 0);
    (void)kernel_thread_create(&thread, "second", drain_here, NULL, TRACER_PRIORITY + 1u, stack,
                               sizeof stack);
    (void)kernel_thread_bind(&thread, 1);
    kernel_start();
}
