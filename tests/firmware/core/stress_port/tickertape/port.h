/*
 * A port for stress_driver.c: each CPU is a Linux thread without interrupts, so masking does
 * nothing. All CPUs read one clock.
 */
#ifndef TICKERTAPE_PORT_H
#define TICKERTAPE_PORT_H

#include <stdint.h>

#include "tickertape/config.h"

typedef uint32_t tt_port_key_t;

extern _Thread_local uint32_t stress_cpu;

static inline tt_port_key_t tt_port_lock(void)
{
    return 0;
}

static inline void tt_port_unlock(tt_port_key_t key)
{
    (void)key;
}

static inline void tt_port_spin(void)
{
}

static inline uint32_t tt_port_cpu(void)
{
    return stress_cpu;
}

static inline uint32_t tt_port_exception(void)
{
    return 0;
}

uint32_t tt_port_ticks(void);
void tt_port_notify_drain(void);

#endif
