/*
 * A port for combine_driver.c: the script controls clock, CPU and interrupts. The CPU changes and
 * interrupts come only while interrupts are not masked.
 */
#ifndef TICKERTAPE_PORT_H
#define TICKERTAPE_PORT_H

#include <stdint.h>

#include "tickertape/config.h"

typedef uint32_t tt_port_key_t;

tt_port_key_t tt_port_lock(void);
void tt_port_unlock(tt_port_key_t key);
uint32_t tt_port_ticks(void);
uint32_t tt_port_cpu(void);
uint32_t tt_port_exception(void);
void tt_port_notify_drain(void);

static inline void tt_port_spin(void)
{
}

#endif
