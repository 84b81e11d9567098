/*
 * step_port.h - the port of the recorder for drivers in which an interrupt comes between any two
 * instructions of a call: the processor stops after each one (x86-64), and the interrupt is served
 * at the first moment at which the recorder does not mask it.
 */
#ifndef STEP_PORT_H
#define STEP_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/link.h"

typedef struct step_port {
    uint64_t now_ticks;
    uint32_t step_ticks; /* the clock goes on by so much before it is read */
    volatile uint32_t lock_depth;
    uint32_t cpu;      /* that runs, with PORT_HAS_CPUS */
    bool is_other_cpu; /* the interrupt is what another CPU does: the mask does not hold it off */
    uint32_t room;     /* bytes that the link takes at a time */
} step_port_t;

extern step_port_t step_port;

/* A link that forgets what it takes. */
extern const tt_link_t step_port_link;

/*
 * Call a function and serve an interrupt once `after` of its instructions were executed, 1 or more;
 * with STEP_EACH after each of them. Returns false when the call was over before; no interrupt was
 * served then.
 */
#define STEP_EACH 0
bool step_call(void (*call)(void), long after, void (*interrupt)(void));

#endif
