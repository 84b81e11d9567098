/*
 * trc_queue.h - between the engine (trc.c) and the types of queues that are streams (trc_queue.c).
 */
#ifndef TRC_QUEUE_H
#define TRC_QUEUE_H

#include <stdint.h>

#include "tickertape/port.h"

/* What the types of streams keep of queue `number`, 0 to TRC_MAXQUEUES - 1. */
void *trc_stream_queue(uint32_t number);

/* Where files are written; NULL for nowhere. */
void trc_set_path(const char *path);

/* A time of the target's clock as records of that tracer have it. */
uint32_t trc_time_us(uint64_t ticks);

/* Interrupts of this CPU masked, for queues that take events by themselves. */
typedef tt_port_key_t trc_lock_t;

static inline trc_lock_t trc_lock(void)
{
    return tt_port_lock();
}

static inline void trc_unlock(trc_lock_t key)
{
    tt_port_unlock(key);
}

#endif
