/* kernel/message.h - interface between the sources of messages and pulses. */
#ifndef KERNEL_MESSAGE_INTERNAL_H
#define KERNEL_MESSAGE_INTERNAL_H

#include "kernel.h"

/* Take the oldest pulse of a channel for the running thread. Returns false when there is none.
 * [locked] */
bool kernel_pulse_take(kernel_channel_t *channel, kernel_received_t *received);

#endif
