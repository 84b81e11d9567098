/*
 * links/udp_link.h - the trace over UDP for a board whose network is links/ipv4.h: bytes of the
 * stream in numbered datagrams (links/udp.h). One context, the drain, uses it.
 */
#ifndef LINKS_UDP_LINK_H
#define LINKS_UDP_LINK_H

#include <stdbool.h>

#include "ipv4.h"
#include "tickertape/link.h"

TT_C_BEGIN

/* Open the link: `socket` has peer and ports set. There is one. */
const tt_link_t *udp_link_open(ipv4_host_t *host, ipv4_socket_t *socket);

/* Whether everything has been given to the network. */
bool udp_link_sent(void);

/* Send the last datagram, if the link is open. */
void udp_link_close(void);

TT_C_END

#endif
