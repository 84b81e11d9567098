/*
 * boards/mps2/lan9118.h - the board's Ethernet controller, an SMSC LAN9220, which is a LAN9118 to
 * software (SMSC "LAN9118 Datasheet"). Polled: it raises no interrupt, so nothing of it is traced.
 */
#ifndef MPS2_LAN9118_H
#define MPS2_LAN9118_H

#include "ipv4.h"

/* Reset the controller and let it send and receive; NULL when there is none. */
const ethernet_device_t *lan9118_start(void);

#endif
