#include "idle.h"

#include "board.h"

static bool idle_waits;

void idle_begin(void)
{
    idle_waits = board_option("idle_wfi", 0) != 0u;
}

bool idle_wait(void)
{
    if (idle_waits) {
        __asm volatile("dsb\n\twfi" ::: "memory");
    }
    return idle_waits;
}

/* Not inlined: the compiler does not know the length of the block, and its branches over it would
 * be too short. */
static void __attribute__((noinline)) execute_nothing(void)
{
    __asm volatile(".rept 100\n\t"
                   "nop\n\t"
                   ".endr");
}

void idle_execute(uint32_t blocks)
{
    for (uint32_t i = 0; i < blocks; i++) {
        execute_nothing();
    }
}
