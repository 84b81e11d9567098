/* Owner of the lock between CPUs that record into one ring of a stream. */
#include "tickertape/port.h"

#ifdef TT_PORT_LOCKS_ALL_CPUS
uint32_t tt_port_owner;
#endif
