/*
 * tickertape/watch.h - writes of a variable, traced by the processor's hardware.
 *
 *     static int32_t setpoint;
 *     tt_watch(setpoint);
 *
 * A comparator of the DWT reports each write of the variable: value, and address of the writing
 * code. The program takes no instruction for it. The host makes SIGNAL WRITE events of the packets,
 * with the variable's name and type from the ELF file (docs/itm.md).
 *
 * Needs a link over SWO, on an Armv7-M processor with a DWT: a Cortex-M3, M4 or M7. A program that
 * calls this with another link fails to link.
 */
#ifndef TICKERTAPE_WATCH_H
#define TICKERTAPE_WATCH_H

#include <stdint.h>

#include "tickertape/api.h"

TT_API_BEGIN

/*
 * Watch a variable; its address is taken. As tt_watch_memory(), and an expression. An array or a
 * struct may be watched whole.
 */
#define tt_watch(variable) tt_watch_memory(&(variable), (uint32_t)sizeof(variable))

/*
 * Watch `bytes` bytes at `begin`. The comparator takes an aligned block of a power of two: up to
 * four bytes that lie in one word are reported with the address of the writing code, a longer range
 * with the address of the write instead. Writes of neighbours in the same block are reported too;
 * the host leaves them out.
 *
 * The drain announces the watch to the host and switches it on with its next step.
 *
 * Returns the number of the comparator; TT_ERROR_ARGUMENT for no bytes, or a range whose block is
 * more than 32 KiB; TT_ERROR_FULL when every comparator is in use, by a debugger too;
 * TT_ERROR_STATE when the processor has no trace of data, or before the link is set up. Threads
 * only, one at a time; nothing is masked.
 */
TT_API int tt_watch_memory(const volatile void *begin, uint32_t bytes) TT_WITHOUT(TT_ERROR_STATE);

/* End a watch by the number that tt_watch() has returned. Returns TT_OK, or TT_ERROR_ARGUMENT for a
 * comparator that watches nothing. Context as above. */
TT_API int tt_watch_end(int comparator) TT_WITHOUT(TT_ERROR_ARGUMENT);

TT_API_END

#endif
