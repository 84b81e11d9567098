/* core/command.h - commands from the host. Used by the drain thread alone. */
#ifndef TICKERTAPE_CORE_COMMAND_H
#define TICKERTAPE_CORE_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/wire.h"

/* Forget what was received. */
void tt_command_reset(void);

/*
 * Take one byte that came over the link. Returns true when it ended a frame with a command; the
 * command has been carried out then, unless it was a repetition, and *reply is to be sent.
 */
bool tt_command_receive(uint8_t byte, tt_wire_reply_t *reply);

#endif
