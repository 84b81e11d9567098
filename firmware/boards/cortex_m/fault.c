/* Faults of the processor: report the fault and end the program. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "kernel_board.h"
#include "kernel_port.h"
#include "startup.h"

#define BKPT_SEMIHOSTING 0xbeabu
#define FRAME_R0         0u
#define FRAME_PC         6u

/* ARMv6-M and ARMv8-M Baseline do not report causes. */
#if __ARM_ARCH_ISA_THUMB == 1
#define SCB_CFSR 0u
#else
#define SCB_CFSR (*(const volatile uint32_t *)0xe000ed28u)
#endif
#define SCB_MMFAR (*(const volatile uint32_t *)0xe000ed34u)
#define SCB_BFAR  (*(const volatile uint32_t *)0xe000ed38u)

#define CFSR_MMARVALID (1u << 7)
#define CFSR_BFARVALID (1u << 15)
#define CFSR_STACKING  ((1u << 4) | (1u << 12) | (1u << 20)) /* MSTKERR, STKERR, STKOF */

static void write_hex(uint32_t value)
{
    char text[] = "00000000";
    for (uint32_t i = 0; i < 8u; i++) {
        text[i] = "0123456789abcdef"[(value >> (28u - 4u * i)) & 15u];
    }
    board_console_write(text);
}

static void write_number(const char *name, uint32_t value)
{
    board_console_write(name);
    write_hex(value);
}

/* Return whether a semihosting call is at `pc`. Reads memory only if `pc` is in the code, since a
 * wrong program counter may point anywhere. */
static bool is_semihosting(uint32_t pc)
{
    uintptr_t begin = 0;
    size_t bytes = 0;
    kernel_board_code(&begin, &bytes);
    return pc - begin < bytes && *(const uint16_t *)(uintptr_t)pc == BKPT_SEMIHOSTING;
}

/* `frame` is the exception frame on the stack. It is not valid if CFSR reports that stacking
 * failed. */
void fault(uint32_t *frame);
void __attribute__((used)) fault(uint32_t *frame)
{
    uint32_t cause = SCB_CFSR;
    bool stacked = (cause & CFSR_STACKING) == 0u;
    if (stacked && is_semihosting(frame[FRAME_PC])) {
        /* No host serves semihosting: let the call fail and continue. */
        frame[FRAME_R0] = UINT32_MAX;
        frame[FRAME_PC] += 2u;
        return;
    }
    if (stacked) {
        write_number("fault at pc ", frame[FRAME_PC]);
    } else {
        write_number("fault with stack pointer ", (uint32_t)(uintptr_t)frame);
    }
    write_number(", CFSR ", cause);
    if ((cause & CFSR_MMARVALID) != 0u) {
        write_number(", address ", SCB_MMFAR);
    } else if ((cause & CFSR_BFARVALID) != 0u) {
        write_number(", address ", SCB_BFAR);
    }
    board_console_write("\n");
    board_exit(BOARD_EXIT_PANIC);
}

void __attribute__((naked, used)) kernel_board_fault_handler(void)
{
    __asm volatile("movs r0, #4\n\t" /* which stack was in use */
                   "mov r1, lr\n\t"
                   "tst r0, r1\n\t"
                   "bne 1f\n\t"
                   "mrs r0, msp\n\t"
                   "b 2f\n\t"
                   "1: mrs r0, psp\n\t"
                   "2: ldr r1, 3f\n\t"
                   "bx r1\n\t"
                   ".balign 4\n\t"
                   "3: .word fault");
}

void unexpected_handler(void)
{
    kernel_panic("unexpected exception");
}

void kernel_panic(const char *reason)
{
    board_console_write("panic: ");
    board_console_write(reason);
    board_console_write("\n");
    board_exit(BOARD_EXIT_PANIC);
}
