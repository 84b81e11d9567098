/*
 * A port for migrate_driver.c: each CPU is a Linux thread, and another thread moves between them.
 * Masking takes the CPU's mutex: it keeps a thread on its CPU and excludes other threads of that
 * CPU. The CPU number may be out of date as soon as nothing is masked.
 */
#ifndef TICKERTAPE_PORT_H
#define TICKERTAPE_PORT_H

#include <stdint.h>

#include "tickertape/config.h"

typedef uint32_t tt_port_key_t;

tt_port_key_t tt_port_lock(void);
void tt_port_unlock(tt_port_key_t key);
uint32_t tt_port_cpu(void);
void tt_port_spin(void);
uint32_t tt_port_ticks(void);
void tt_port_notify_drain(void);

static inline uint32_t tt_port_exception(void)
{
    return 0;
}

#endif
