/*
 * Port of the recorder to Linux. The reference kernel runs one thread at a time there and delivers
 * interrupts only at its checkpoints: the recorder is never interrupted, so it masks nothing. With
 * several CPUs each CPU is a Linux thread with its own number. ports/template/tickertape/port.h
 * describes the functions of a port.
 */
#ifndef TICKERTAPE_PORT_H
#define TICKERTAPE_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/config.h"

typedef uint32_t tt_port_key_t;

static inline tt_port_key_t tt_port_lock(void)
{
    return 0;
}

static inline void tt_port_unlock(tt_port_key_t key)
{
    (void)key;
}

#if TT_CONFIG_CPUS > 1
extern _Thread_local uint32_t native_cpu;
#endif

static inline void tt_port_spin(void)
{
}

static inline uint32_t tt_port_cpu(void)
{
#if TT_CONFIG_CPUS > 1
    return native_cpu;
#else
    return 0;
#endif
}

uint32_t native_clock_ticks(void);
bool native_in_interrupt(void);

static inline uint32_t tt_port_ticks(void)
{
    return native_clock_ticks();
}

static inline uint32_t tt_port_exception(void)
{
    return native_in_interrupt() ? 1u : 0u; /* virtual interrupts are not nested */
}

void tt_port_notify_drain(void);

#endif
