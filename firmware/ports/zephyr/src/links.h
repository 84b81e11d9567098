/* links.h - the link to the host that Kconfig selected. Each link is a file link_*.c. */
#ifndef TICKERTAPE_ZEPHYR_LINKS_H
#define TICKERTAPE_ZEPHYR_LINKS_H

#include <stdbool.h>

#include "tickertape/link.h"

/* Return the link. It has no room until it is opened. */
const tt_link_t *tt_zephyr_link(void);

/* Open the link. The drain calls this once, after all devices and services are initialised. Returns
 * 0 or -errno. */
int tt_zephyr_link_open(void);

/* Send bytes that the link still collects, for example for a larger datagram. The drain calls this
 * after it has put everything it had. */
void tt_zephyr_link_flush(void);

/* Return whether every byte has been sent. */
bool tt_zephyr_link_sent(void);

#endif
