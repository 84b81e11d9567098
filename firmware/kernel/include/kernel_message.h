/*
 * kernel_message.h - messages and pulses over channels.
 *
 * A sender waits until a thread has received its message (state SEND), then until that thread has
 * replied (state REPLY). Data is copied from thread to thread, once in each direction, without a
 * buffer. A thread that has to reply runs with at least the priority of the most urgent thread that
 * waits for its reply, also through chains of servers and mutexes. A message that was not received
 * yet raises no priority.
 *
 * A pulse is one word. Sending it never blocks, so interrupts may send pulses. Pulses are received
 * before messages, in the order of sending. Messages are received in the order of their senders'
 * priorities, and in the order of sending for equal priorities.
 *
 * Included by kernel.h, where results, time limits and contexts are explained.
 */
#ifndef KERNEL_MESSAGE_H
#define KERNEL_MESSAGE_H

#include "kernel_types.h"

KERNEL_C_BEGIN

/* A channel connects senders and receivers. Initialise it with zeros; all fields are private. */
typedef struct kernel_channel {
    kernel_queue_t senders;
    kernel_queue_t receivers;
    uint32_t pulses[KERNEL_CHANNEL_PULSES]; /* a ring */
    uint8_t first_pulse;
    uint8_t pulse_count;
} kernel_channel_t;

/* A message and its reply. Must exist until the call returns. */
typedef struct kernel_message {
    const void *data; /* NULL if `bytes` is 0 */
    size_t bytes;
    void *reply; /* memory for the reply; NULL: none */
    size_t reply_room_bytes;
    size_t reply_bytes; /* out: length of the reply; bytes beyond the room were cut off */
} kernel_message_t;

/* A received message or pulse. */
typedef struct kernel_received {
    uint32_t id;    /* number of the message for the reply, not 0; 0: a pulse */
    uint32_t pulse; /* the word of a pulse */
    size_t bytes;   /* length of the message; bytes beyond the room were cut off */
} kernel_received_t;

/* Destination of a message or pulse; private to the kernel. */
typedef struct kernel_receipt {
    void *data;
    size_t room_bytes;
    kernel_received_t *received;
    uint32_t timeout_ticks;
} kernel_receipt_t;

/*
 * Send a message and wait for the reply. Blocks. The time limit covers both waits; a reply after it
 * returns KERNEL_ERROR_STATE to the receiver. Returns the status of the reply,
 * KERNEL_ERROR_ARGUMENT, KERNEL_ERROR_TIMEOUT, KERNEL_ERROR_BUSY (with 0 ticks),
 * KERNEL_ERROR_DELETED when the channel is deleted first or the receiver ends without a reply.
 */
int kernel_message_send(kernel_channel_t *channel, kernel_message_t *message,
                        uint32_t timeout_ticks);

/*
 * Receive a pulse or a message, at most `room_bytes` of it. Blocks while there is none. Returns
 * KERNEL_OK, KERNEL_ERROR_ARGUMENT, KERNEL_ERROR_TIMEOUT, KERNEL_ERROR_BUSY or
 * KERNEL_ERROR_DELETED.
 */
int kernel_message_receive(kernel_channel_t *channel, void *data, size_t room_bytes,
                           kernel_received_t *received, uint32_t timeout_ticks);

/*
 * Reply to message `id`, which the caller has received: its sender continues, and its call returns
 * `status`. A negative status is traced as an error. Replies may be sent in any order. Returns
 * KERNEL_OK, KERNEL_ERROR_ARGUMENT, or KERNEL_ERROR_STATE when the sender does not wait for this
 * reply.
 */
int kernel_message_reply(uint32_t id, int32_t status, const void *data, size_t bytes);

/*
 * Send a pulse. Threads, interrupts, and before kernel_start().
 * Returns KERNEL_OK, or KERNEL_ERROR_FULL when the channel already stores KERNEL_CHANNEL_PULSES
 * pulses.
 */
int kernel_pulse_send(kernel_channel_t *channel, uint32_t pulse);

/* Delete a channel and its pulses. Received messages can still be replied to. */
int kernel_channel_delete(kernel_channel_t *channel);

KERNEL_C_END

#endif
