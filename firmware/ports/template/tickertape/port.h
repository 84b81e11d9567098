/*
 * Template of a port: copy this folder, write the functions, and put it first in the include path.
 * It compiles unchanged (the checks build it), for a system with one CPU whose memory word
 * `template_clock` counts ticks.
 *
 * A port has to define all of these:
 *
 * - tt_port_lock(), tt_port_unlock(): mask every interrupt that may record on this CPU, even the
 *   most urgent one, and restore the earlier state. Calls nest. Both are compiler barriers.
 * - tt_port_spin(): wait a moment for another CPU; do nothing with one CPU.
 * - tt_port_cpu(): number of the running CPU, 0 .. TT_CONFIG_CPUS - 1. Called while interrupts
 *   are masked; a thread may move to another CPU as soon as they are not.
 * - tt_port_ticks(): a counter that runs up through all 32 bits at a constant rate, the same one
 *   for all CPUs. A context switch must take at least one tick.
 * - tt_port_exception(): number of the interrupt being served, 0 in a thread.
 * - tt_port_notify_drain(): wake the drain thread. Called with interrupts masked, from any
 *   context; it must not record and not block. It may do nothing if the drain polls often enough.
 *
 * A port may also define:
 *
 * - tt_port_time(), with TT_PORT_HAS_TIME defined: all 64 bits of a counter whose low 32 bits are
 *   tt_port_ticks(). The 64-bit time then needs no polls, and a late poll is reported.
 * - TT_PORT_IS_READ_ONLY, a macro: nonzero if an address is in constants of the ELF file, whose
 *   texts tt_logf() then records by their address. Without it only string literals are recorded
 *   that way.
 * - TT_PORT_LOCKS_ALL_CPUS, a macro: tt_port_lock() excludes all other CPUs, in addition to the
 *   interrupts of this one. TT_CONFIG_READERS needs it if several CPUs record.
 *
 * These functions must not call the recorder.
 */
#ifndef TICKERTAPE_PORT_H
#define TICKERTAPE_PORT_H

#include <stdint.h>

#include "tickertape/config.h"

typedef uint32_t tt_port_key_t;

extern volatile uint32_t template_clock;

static inline tt_port_key_t tt_port_lock(void)
{
    return 0; /* read the mask, mask all interrupts, return the mask read */
}

static inline void tt_port_unlock(tt_port_key_t key)
{
    (void)key; /* restore the mask */
}

static inline void tt_port_spin(void)
{
}

static inline uint32_t tt_port_cpu(void)
{
    return 0;
}

static inline uint32_t tt_port_ticks(void)
{
    return template_clock;
}

static inline uint32_t tt_port_exception(void)
{
    return 0;
}

void tt_port_notify_drain(void);

#endif
