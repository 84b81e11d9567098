/*
 * A port for tests: interrupts may arrive whenever the last lock is released, and the port checks
 * how the recorder uses it.
 */
#ifndef TICKERTAPE_PORT_H
#define TICKERTAPE_PORT_H

#include <stdint.h>

#include "tickertape/config.h"

typedef uint32_t tt_port_key_t;

tt_port_key_t tt_port_lock(void);
void tt_port_unlock(tt_port_key_t key);
uint32_t tt_port_ticks(void);
void tt_port_notify_drain(void);
uint32_t tt_port_exception(void);

#ifdef PORT_HAS_TIME
#define TT_PORT_HAS_TIME 1
uint64_t tt_port_time(void);
#endif

static inline void tt_port_spin(void)
{
}

#ifdef PORT_HAS_CPUS
uint32_t tt_port_cpu(void);
#else
static inline uint32_t tt_port_cpu(void)
{
    return 0;
}
#endif

#endif
