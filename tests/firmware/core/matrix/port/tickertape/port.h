/* The port of the matrix driver, which decides about interrupts and the running CPU. */
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
uint32_t tt_port_cpu(void);
void tt_port_spin(void);

#endif
