/*
 * Port of the recorder to Linux processes: many threads record, and after a fork several processes
 * that share the recorder's memory. firmware/ports/template/tickertape/port.h
 * describes the duties of a port.
 *
 * To mask interrupts is here to hold one lock, which nests. It is robust: when its owner dies, the
 * next one gets it. The record that a process was writing when it was killed does not exist
 * (TT_PORT_WRITERS_DIE); an event of several records stays without its end, and is given up.
 */
#ifndef TICKERTAPE_PORT_H
#define TICKERTAPE_PORT_H

#include <stdint.h>
#include <time.h>

#include "tickertape/config.h"

typedef uint32_t tt_port_key_t;

tt_port_key_t tt_port_lock(void);
void tt_port_unlock(tt_port_key_t key);

static inline void tt_port_spin(void)
{
}

static inline uint32_t tt_port_cpu(void)
{
    return 0;
}

/* The lock excludes other threads, not masks of interrupts. */
#define TT_PORT_LOCKS_ALL_CPUS 1

/* A writer may end in the middle of a record. */
#define TT_PORT_WRITERS_DIE 1

/* Ticks of 100 ns. */
#define TT_PORT_TICK_HZ     10000000u
#define TT_PORT_NS_PER_TICK (1000000000u / TT_PORT_TICK_HZ)

/* All 64 bits of the tick counter. */
#define TT_PORT_HAS_TIME 1

static inline uint64_t tt_port_time(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * TT_PORT_TICK_HZ + (uint64_t)now.tv_nsec / TT_PORT_NS_PER_TICK;
}

static inline uint32_t tt_port_ticks(void)
{
    return (uint32_t)tt_port_time();
}

static inline uint32_t tt_port_exception(void)
{
    return 0;
}

/* Wakes the thread that brings events to logs. */
void tt_port_notify_drain(void);

#endif
