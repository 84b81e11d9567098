/*
 * What the recorder's native port asks of the program that it is part of. The kernel does not
 * include that port, so the declarations stand here once more.
 */
#include "native.h"

uint32_t native_clock_ticks(void);
bool native_in_interrupt(void);

uint32_t native_clock_ticks(void)
{
    return (uint32_t)native_clock();
}

bool native_in_interrupt(void)
{
    return native_serves_interrupt();
}
