/* A thread of the core causes a fault, which ends the program; option crime=N selects the fault. */
#include "board.h"
#include "kernel.h"
#include "tracer.h"

static kernel_thread_t thread;
static _Alignas(8) uint8_t stack[1024];

static void run(void *argument)
{
    (void)argument;
    switch (board_option("crime", 0)) {
    case 0: /* a jump to an unmapped address */
        __asm volatile("ldr r0, =0xf0000001\n\tbx r0");
        break;
    case 1: /* a write to an unmapped address */
        __asm volatile("mov r0, #0x4f000000\n\tstr r0, [r0]");
        break;
    case 2: /* a stack at an unmapped address */
        __asm volatile("mov r0, #0x4f000000\n\tmov sp, r0\n\tpush {r0}");
        break;
    default:
        __asm volatile("udf #0");
        break;
    }
}

void application_main(void)
{
    tracer_open("core_fault", NULL, 0);
    (void)kernel_thread_create(&thread, "thread", run, NULL, 10, stack, sizeof stack);
    kernel_start();
}
