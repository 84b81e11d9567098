/*
 * boards/mps2/lan9118.h - driver of the board's Ethernet controller, an SMSC LAN9220, which
 * software handles like a LAN9118 (SMSC "LAN9118 Datasheet"). It is polled and raises no interrupt,
 * so it adds nothing to the trace.
 */
#ifndef MPS2_LAN9118_H
#define MPS2_LAN9118_H

#include "ipv4.h"

/* Reset the controller and enable it. Returns NULL if there is none. */
const ethernet_device_t *lan9118_start(void);

#endif
