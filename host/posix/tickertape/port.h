/*
 * Port of the recorder to Linux processes: many threads record and, after a fork, several processes
 * that share the recorder's memory. firmware/ports/template/tickertape/port.h describes the duties
 * of a port.
 *
 * tt_port_lock() takes one recursive lock instead of masking interrupts. The lock is robust: when
 * its owner dies, the next thread gets it. The record that a process was writing when it was killed
 * is not recorded (TT_PORT_WRITERS_DIE); a combine event then remains without END and is given up.
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

/* The lock excludes all other threads, on every CPU. */
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

/* Wake the thread that flushes streams to logs. */
void tt_port_notify_drain(void);

#endif
