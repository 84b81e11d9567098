/*
 * step_port.h - the recorder's port for drivers in which an interrupt comes between any two
 * instructions of a call: the processor traps after each one (x86-64), and the interrupt is served
 * as soon as the recorder does not mask it.
 */
#ifndef STEP_PORT_H
#define STEP_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/link.h"

typedef struct step_port {
    uint64_t now_ticks;
    uint32_t step_ticks; /* ticks by which the clock advances at each reading */
    volatile uint32_t lock_depth;
    uint32_t cpu;      /* running CPU, with PORT_HAS_CPUS */
    bool is_other_cpu; /* the interrupt simulates another CPU, which masking does not delay */
    uint32_t room;     /* room of the link in bytes */
} step_port_t;

extern step_port_t step_port;

/* A link that discards its bytes. */
extern const tt_link_t step_port_link;

/*
 * Call a function and serve an interrupt after `after` of its instructions, 1 or more; with
 * STEP_EACH after each of them. Returns false, without serving an interrupt, if the call returned
 * before.
 */
#define STEP_EACH 0
bool step_call(void (*call)(void), long after, void (*interrupt)(void));

#endif
