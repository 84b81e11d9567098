/*
 * A port for history_driver.c: one Linux thread runs all CPUs in turn. Whenever the last lock is
 * released, an interrupt of this CPU or another CPU may record.
 */
#ifndef TICKERTAPE_PORT_H
#define TICKERTAPE_PORT_H

#include <stdint.h>

#include "tickertape/config.h"

typedef uint32_t tt_port_key_t;

extern uint32_t history_cpu;

tt_port_key_t tt_port_lock(void);
void tt_port_unlock(tt_port_key_t key);
uint32_t tt_port_ticks(void);
void tt_port_notify_drain(void);

static inline void tt_port_spin(void)
{
    __builtin_trap(); /* a single thread must not wait for itself */
}

static inline uint32_t tt_port_cpu(void)
{
    return history_cpu;
}

static inline uint32_t tt_port_exception(void)
{
    return 0;
}

#endif
