/*
 * A port for migrate_driver.c: each CPU is a Linux thread, and one more thread moves between them.
 * Masking keeps a thread on its CPU, and the others of that CPU out: it takes the CPU's mutex. The
 * CPU's number may be out of date as soon as nothing is masked.
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
