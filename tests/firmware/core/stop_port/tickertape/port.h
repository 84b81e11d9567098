/* A port for stop_driver.c: one thread runs all CPUs in turn. */
#ifndef TICKERTAPE_PORT_H
#define TICKERTAPE_PORT_H

#include <stdint.h>

#include "tickertape/config.h"

typedef uint32_t tt_port_key_t;

extern uint32_t port_cpu;

tt_port_key_t tt_port_lock(void);
void tt_port_unlock(tt_port_key_t key);
uint32_t tt_port_ticks(void);

static inline void tt_port_notify_drain(void)
{
}

static inline uint32_t tt_port_exception(void)
{
    return 0;
}

static inline void tt_port_spin(void)
{
}

static inline uint32_t tt_port_cpu(void)
{
    return port_cpu;
}

#endif
