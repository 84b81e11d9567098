/* boards/mps2/network.h - the board's one network, with the addresses of board_config.h. */
#ifndef MPS2_NETWORK_H
#define MPS2_NETWORK_H

#include "ipv4.h"

/* The board as a host of the network, started when first asked for; NULL without a controller. */
ipv4_host_t *network_host(void);

#endif
