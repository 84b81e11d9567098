/* boards/mps2/network.h - the board's network, with the addresses of board_config.h. */
#ifndef MPS2_NETWORK_H
#define MPS2_NETWORK_H

#include "ipv4.h"

/* Return the board's IPv4 host. The first call starts the controller. Returns NULL if there is
 * none. */
ipv4_host_t *network_host(void);

#endif
