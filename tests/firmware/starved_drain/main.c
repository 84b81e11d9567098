/*
 * The most urgent thread of this application keeps the tracer's thread from running for longer than
 * a period of the tick counter; only the kernel's tick can maintain 64-bit time then. USER 1 is
 * recorded before and USER 2 after the busy time; their first word is its length in ms.
 */
#include "board.h"
#include "kernel.h"
#include "tickertape/emitters.h"
#include "tracer.h"

#define SLICE_US 1000u

static void urgent(void *argument)
{
    (void)argument;
    uint32_t busy_ms = board_option("duration_ms", 1000);
    tt_emit_user_user(1, busy_ms, 0);
    for (uint32_t i = 0; i < busy_ms; i++) {
        kernel_work_us(SLICE_US);
    }
    tt_emit_user_user(2, busy_ms, 0);
    tracer_finish();
}

void application_main(void)
{
    static kernel_thread_t thread;
    static _Alignas(8) uint8_t stack[1024];
    tracer_open("starved_drain", NULL, 0);
    (void)tt_select_class(0, TT_CLASS_USER, true);
    (void)tt_start(0);
    (void)kernel_thread_create(&thread, "urgent", urgent, NULL, 30, stack, sizeof stack);
    kernel_start();
}
