/*
 * tickertape/watch.h - writes of a variable, traced by the processor's hardware.
 *
 *     static int32_t setpoint;
 *     tt_watch(setpoint);
 *
 * A comparator of the DWT reports each write of the variable: value, and address of the writing
 * code. The program executes no instruction for it. The host converts the packets to SIGNAL WRITE
 * events, with the variable's name and type from the ELF file (docs/itm.md).
 *
 * Needs a link over SWO, on an Armv7-M processor with a DWT: a Cortex-M3, M4 or M7. A program that
 * uses another link does not link.
 */
#ifndef TICKERTAPE_WATCH_H
#define TICKERTAPE_WATCH_H

#include <stdint.h>

#include "tickertape/api.h"

TT_API_BEGIN

/*
 * Watch a variable, which may be an array or a struct. An expression with the context and results
 * of tt_watch_memory().
 */
#define tt_watch(variable) tt_watch_memory(&(variable), (uint32_t)sizeof(variable))

/*
 * Watch `bytes` bytes at `begin`. A comparator matches an aligned block whose size is a power of
 * two. A range of up to four bytes in one word is reported with the address of the writing code, a
 * longer range with the address of the write instead. Writes to other addresses of the block are
 * reported too; the host discards them.
 *
 * The drain announces the watch to the host and enables it in its next step.
 *
 * Returns the number of the comparator; TT_ERROR_ARGUMENT for no bytes, or a range whose block is
 * more than 32 KiB; TT_ERROR_FULL when every comparator is in use, also by a debugger;
 * TT_ERROR_STATE when the processor has no data trace, or before the link is set up. Threads only,
 * one at a time; nothing is masked.
 */
TT_API int tt_watch_memory(const volatile void *begin, uint32_t bytes) TT_WITHOUT(TT_ERROR_STATE);

/* End a watch. `comparator` is the result of tt_watch(). Returns TT_OK, or TT_ERROR_ARGUMENT for a
 * comparator that watches nothing. Threads only, one at a time. */
TT_API int tt_watch_end(int comparator) TT_WITHOUT(TT_ERROR_ARGUMENT);

TT_API_END

#endif
