/*
 * Template of a port: copy this folder, fill in the bodies, and put it in front of the include
 * path. It compiles as it is (the checks build it), for a system of one CPU whose memory word
 * `template_clock` counts ticks.
 *
 * What a port owes the recorder - all of it, on one page:
 *
 *   tt_port_lock/unlock   Mask every interrupt that may record on this CPU, also the most urgent,
 *                         and give back the earlier state. Calls nest. They are compiler barriers.
 *   tt_port_spin          Wait a moment for another CPU; nothing with one CPU.
 *   tt_port_cpu           Number of the CPU that runs, 0 .. TT_CONFIG_CPUS - 1. Read while
 * interrupts are masked; a thread may be on another CPU as soon as they are not. tt_port_ticks A
 * counter that runs up through all 32 bits at a constant rate, the same one for all CPUs. A context
 * switch must take at least one tick. tt_port_exception     Number of the interrupt being served, 0
 * in a thread. tt_port_notify_drain  Wake the drain thread. Called with interrupts masked, from any
 * context; it must not record and not block. It may do nothing where the drain looks by itself
 * often enough.
 *
 * What a port may have beside, with TT_PORT_HAS_TIME defined:
 *
 *   tt_port_time          All 64 bits of a counter whose low 32 are tt_port_ticks(). The 64-bit
 * time then needs no polls, and a poll that came too late is reported.
 *
 *   TT_PORT_IS_READ_ONLY  A macro: nonzero when an address lies in constants of the ELF file, whose
 * texts tt_logf() then records by their address. Without it only string literals are.
 *
 * What a port may call: nothing of the recorder from these functions.
 */
#ifndef TICKERTAPE_PORT_H
#define TICKERTAPE_PORT_H

#include <stdint.h>

#include "tickertape/config.h"

typedef uint32_t tt_port_key_t;

extern volatile uint32_t template_clock;

static inline tt_port_key_t tt_port_lock(void)
{
    return 0; /* read the mask, mask all, return what was read */
}

static inline void tt_port_unlock(tt_port_key_t key)
{
    (void)key; /* write the mask back */
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
