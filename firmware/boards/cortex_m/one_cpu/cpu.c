/* Boards with one CPU whose only UART carries the trace: the CPU's part of board.h. */
#include <stdint.h>

#include "board.h"
#include "scs.h"
#include "semihosting.h"

/* Text for users goes to the debugger or emulator. */
void board_console_write(const char *text)
{
    semihosting_write_text(text);
}

uint32_t board_cpu(void)
{
    return 0;
}

void board_yield(void)
{
    __asm volatile("yield" ::: "memory");
}

void board_irq_raise(uint32_t irq)
{
    NVIC_ISPR[irq / 32u] = 1u << (irq % 32u);
}
