/* core/command.h - commands from the host. Drain thread only. */
#ifndef TICKERTAPE_CORE_COMMAND_H
#define TICKERTAPE_CORE_COMMAND_H

#include <stdbool.h>

/* Discard received bytes, and a reply that was not sent. */
void tt_command_reset(void);

/* Read bytes from the link and execute a command, unless a reply waits. True when more bytes may
 * wait. */
bool tt_command_hear(void);

/* Send the reply that waits. False when there is none, or no room. */
bool tt_command_reply(void);

#endif
