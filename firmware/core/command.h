/* core/command.h - commands from the host. Drain thread only. */
#ifndef TICKERTAPE_CORE_COMMAND_H
#define TICKERTAPE_CORE_COMMAND_H

#include <stdbool.h>

/* Discard received bytes, a reply that was not sent, and the façade's function. Called by
 * tt_init(). */
void tt_command_reset(void);

/* Read bytes from the link and execute at most one command; does nothing while a reply waits.
 * Returns true when more bytes may wait. */
bool tt_command_hear(void);

/* Send the waiting reply. Returns false when there is none or the link has too little room. */
bool tt_command_reply(void);

#endif
