/* Faults of the processor: say what happened and end the program. */
#include <stdint.h>

#include "board.h"
#include "handlers.h"
#include "kernel_board.h"

#define BKPT_SEMIHOSTING 0xbeabu
#define FRAME_R0         0u
#define FRAME_PC         6u

#define SCB_CFSR (*(const volatile uint32_t *)0xe000ed28u)

static void write_hex(uint32_t value)
{
    char text[] = "00000000";
    for (uint32_t i = 0; i < 8u; i++) {
        text[i] = "0123456789abcdef"[(value >> (28u - 4u * i)) & 15u];
    }
    board_console_write(text);
}

/* `frame` is what the exception entry stacked. */
void fault(uint32_t *frame);
void fault(uint32_t *frame)
{
    if (*(const uint16_t *)(uintptr_t)frame[FRAME_PC] == BKPT_SEMIHOSTING) {
        /* Nobody serves semihosting: let the call fail and go on. */
        frame[FRAME_R0] = UINT32_MAX;
        frame[FRAME_PC] += 2u;
        return;
    }
    board_console_write("fault at pc ");
    write_hex(frame[FRAME_PC]);
    board_console_write(", CFSR ");
    write_hex(SCB_CFSR);
    board_console_write("\n");
    board_exit(BOARD_EXIT_PANIC);
}

void __attribute__((naked)) HardFault_Handler(void)
{
    __asm volatile("tst lr, #4\n\t" /* which stack was in use */
                   "ite eq\n\t"
                   "mrseq r0, msp\n\t"
                   "mrsne r0, psp\n\t"
                   "b fault");
}

void unexpected_handler(void)
{
    kernel_panic("an exception came that nobody serves");
}

void kernel_panic(const char *reason)
{
    board_console_write("panic: ");
    board_console_write(reason);
    board_console_write("\n");
    board_exit(BOARD_EXIT_PANIC);
}
