/* links.h - the one way to the host that Kconfig chose; each is a file link_*.c. */
#ifndef TICKERTAPE_ZEPHYR_LINKS_H
#define TICKERTAPE_ZEPHYR_LINKS_H

#include <stdbool.h>

#include "tickertape/link.h"

/* The link. It takes bytes once it was opened; before, it has no room. */
const tt_link_t *tt_zephyr_link(void);

/* Open it: once, by the drain, when all devices and services are there. Returns 0 or -errno. */
int tt_zephyr_link_open(void);

/* Called by the drain when it has put all that there was: send what waits to be more. */
void tt_zephyr_link_flush(void);

/* True when nothing waits any more. */
bool tt_zephyr_link_sent(void);

#endif
