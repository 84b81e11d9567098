/*
 * Functions that the recorder's native port requires of the program. The kernel does not include
 * that port, so they are declared here.
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
