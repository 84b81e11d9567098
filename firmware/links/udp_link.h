/*
 * links/udp_link.h - a trace link over UDP, for a board that uses links/ipv4.h: it sends the bytes
 * of the stream in numbered datagrams (links/udp.h). Drain thread only.
 */
#ifndef LINKS_UDP_LINK_H
#define LINKS_UDP_LINK_H

#include <stdbool.h>

#include "ipv4.h"
#include "tickertape/link.h"

TT_C_BEGIN

/* Open the link and return it for tt_init(). Peer and ports of `socket` are set. Only one link
 * exists. */
const tt_link_t *udp_link_open(ipv4_host_t *host, ipv4_socket_t *socket);

/* Send waiting bytes. Returns true when all were handed to the network. */
bool udp_link_sent(void);

/* Send the waiting bytes, as far as the network accepts them, and the last datagram; then close the
 * link. Does nothing if it is not open. */
void udp_link_close(void);

TT_C_END

#endif
