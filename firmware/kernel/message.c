/*
 * Messages. When a message was received, its sender waits in the receiver's queue of clients, and
 * the receiver inherits its priority (priority.c).
 *
 * The number of a message is (count << 8 | sender's thread number). The reply finds the sender by
 * it, and detects a later message of the same thread.
 *
 * Data is copied with interrupts enabled. Interrupts access channels only to find a receiver for a
 * pulse, so a receiver is removed from its queue before the copy.
 */
#include "message.h"
#include "internal.h"

#include <string.h>

#define TID_MASK 0xffu

_Static_assert(KERNEL_MAX_THREADS <= TID_MASK + 1u, "a thread number is part of a message's");

static void copy(void *to, size_t room_bytes, const void *from, size_t bytes)
{
    size_t count = bytes < room_bytes ? bytes : room_bytes;
    if (count > 0u) {
        memcpy(to, from, count);
    }
}

static void copy_message(const kernel_thread_t *sender, const kernel_receipt_t *receipt)
{
    const kernel_message_t *message = sender->message;
    copy(receipt->data, receipt->room_bytes, message->data, message->bytes);
    *receipt->received = (kernel_received_t){.id = sender->message_id, .bytes = message->bytes};
}

/* Add a client, which waits for a reply of `server`. [locked] */
static void serve(kernel_thread_t *server, kernel_thread_t *client)
{
    client->server = server;
    kernel_queue_insert(&server->clients, client);
    kernel_priority_update(server, false);
}

/* Trace, in the context of the thread, that it received a message while it waited. */
static void report_received(const kernel_thread_t *thread)
{
    tt_hook_message_received(thread->on_resume_word, KERNEL_DOMAIN);
}

static kernel_thread_t *take_receiver(kernel_channel_t *channel)
{
    kernel_port_key_t key = kernel_lock();
    kernel_thread_t *receiver = channel->receivers.first;
    if (receiver != NULL) {
        kernel_queue_remove(receiver);
    }
    kernel_unlock(key);
    return receiver;
}

/* Arguments of kernel_message_send() other than the channel. */
typedef struct send_args {
    kernel_message_t *message;
    uint32_t timeout_ticks;
} send_args_t;

int kernel_message_send(kernel_channel_t *channel, kernel_message_t *message,
                        uint32_t timeout_ticks)
{
    const send_args_t more = {.message = message, .timeout_ticks = timeout_ticks};
    return kernel_call(TT_KERCALL_MSG_SENDV, (kernel_word_t)channel,
                       message != NULL ? (kernel_word_t)message->bytes : 0u, (kernel_word_t)&more);
}

static bool valid_message(const kernel_message_t *message)
{
    return message != NULL && (message->data != NULL || message->bytes == 0u) &&
           (message->reply != NULL || message->reply_room_bytes == 0u);
}

static void begin_message(kernel_thread_t *self, kernel_message_t *message)
{
    static uint32_t message_count;
    message->reply_bytes = 0;
    self->message = message;
    self->message_id = ++message_count << 8 | self->tid;
    tt_hook_message_sent(self->message_id, KERNEL_DOMAIN);
}

int32_t kernel_service_message_send(const kernel_word_t *args)
{
    kernel_channel_t *channel = (kernel_channel_t *)args[0];
    const send_args_t *more = (const send_args_t *)args[2];
    if (channel == NULL || !valid_message(more->message) ||
        !kernel_timeout_valid(more->timeout_ticks)) {
        return KERNEL_ERROR_ARGUMENT;
    }
    if (more->timeout_ticks == 0u) {
        return KERNEL_ERROR_BUSY;
    }
    kernel_thread_t *self = kernel_this_cpu()->current;
    begin_message(self, more->message);
    kernel_thread_t *receiver = take_receiver(channel);
    kernel_state_t state = KERNEL_STATE_SEND;
    if (receiver != NULL) {
        copy_message(self, receiver->receipt);
        state = KERNEL_STATE_REPLY;
    }
    kernel_port_key_t key = kernel_lock();
    if (receiver != NULL) {
        receiver->on_resume = report_received;
        receiver->on_resume_word = self->message_id;
        kernel_unblock(receiver, KERNEL_OK);
        serve(receiver, self);
    } else {
        kernel_queue_insert(&channel->senders, self);
    }
    int32_t result = kernel_block(state, channel, more->timeout_ticks);
    kernel_unlock(key);
    return result;
}

int kernel_message_receive(kernel_channel_t *channel, void *data, size_t room_bytes,
                           kernel_received_t *received, uint32_t timeout_ticks)
{
    const kernel_receipt_t receipt = {
        .data = data,
        .room_bytes = room_bytes,
        .received = received,
        .timeout_ticks = timeout_ticks,
    };
    return kernel_call(TT_KERCALL_MSG_RECEIVEV, (kernel_word_t)channel, (kernel_word_t)room_bytes,
                       (kernel_word_t)&receipt);
}

/* Receive the first message without waiting. Returns false when there is none. */
static bool take_message(kernel_channel_t *channel, const kernel_receipt_t *receipt)
{
    kernel_thread_t *sender = channel->senders.first; /* interrupts send no messages */
    if (sender == NULL) {
        return false;
    }
    copy_message(sender, receipt);
    kernel_port_key_t key = kernel_lock();
    kernel_queue_remove(sender);
    kernel_wait_on(sender, KERNEL_STATE_REPLY, channel);
    serve(kernel_this_cpu()->current, sender);
    tt_hook_message_received(sender->message_id, KERNEL_DOMAIN);
    kernel_unlock(key);
    return true;
}

/* Receive a pulse. If there is none, wait for a pulse or a message if `or_wait`, else return
 * KERNEL_ERROR_BUSY. */
static int32_t receive(kernel_channel_t *channel, const kernel_receipt_t *receipt, bool or_wait)
{
    kernel_thread_t *self = kernel_this_cpu()->current;
    kernel_port_key_t key = kernel_lock();
    int32_t result = KERNEL_ERROR_BUSY;
    if (kernel_pulse_take(channel, receipt->received)) {
        result = KERNEL_OK;
    } else if (or_wait) {
        self->receipt = receipt;
        kernel_queue_insert(&channel->receivers, self);
        result = kernel_block(KERNEL_STATE_RECEIVE, channel, receipt->timeout_ticks);
    }
    kernel_unlock(key);
    return result;
}

int32_t kernel_service_message_receive(const kernel_word_t *args)
{
    kernel_channel_t *channel = (kernel_channel_t *)args[0];
    const kernel_receipt_t *receipt = (const kernel_receipt_t *)args[2];
    if (channel == NULL || receipt->received == NULL ||
        (receipt->data == NULL && receipt->room_bytes != 0u) ||
        !kernel_timeout_valid(receipt->timeout_ticks)) {
        return KERNEL_ERROR_ARGUMENT;
    }
    int32_t result = receive(channel, receipt, false);
    if (result == KERNEL_ERROR_BUSY && take_message(channel, receipt)) {
        return KERNEL_OK;
    }
    if (result == KERNEL_ERROR_BUSY && receipt->timeout_ticks != 0u) {
        result = receive(channel, receipt, true); /* a pulse may have been sent meanwhile */
    }
    return result;
}

/* Arguments of kernel_message_reply() other than thread number and status. */
typedef struct reply_args {
    uint32_t id;
    const void *data;
    size_t bytes;
} reply_args_t;

int kernel_message_reply(uint32_t id, int32_t status, const void *data, size_t bytes)
{
    const reply_args_t more = {.id = id, .data = data, .bytes = bytes};
    return kernel_call(TT_KERCALL_MSG_REPLYV, id & TID_MASK, (kernel_word_t)status,
                       (kernel_word_t)&more);
}

int32_t kernel_service_message_reply(const kernel_word_t *args)
{
    kernel_thread_t *self = kernel_this_cpu()->current;
    kernel_thread_t *client = kernel_thread_with_number((uint32_t)args[0]);
    int32_t status = (int32_t)args[1];
    const reply_args_t *more = (const reply_args_t *)args[2];
    if (more->data == NULL && more->bytes != 0u) {
        return KERNEL_ERROR_ARGUMENT;
    }
    if (client == NULL || client->server != self || client->message_id != more->id) {
        return KERNEL_ERROR_STATE;
    }
    kernel_message_t *message = client->message;
    copy(message->reply, message->reply_room_bytes, more->data, more->bytes);
    message->reply_bytes = more->bytes;
    kernel_port_key_t key = kernel_lock();
    if (status < 0) {
        tt_hook_reply_error(client->tid, KERNEL_DOMAIN);
    } else {
        tt_hook_reply(client->tid, KERNEL_DOMAIN);
    }
    kernel_queue_remove(client);
    kernel_priority_update(self, false);
    kernel_unblock(client, status);
    kernel_unlock(key);
    return KERNEL_OK;
}

int32_t kernel_service_channel_delete(const kernel_word_t *args)
{
    kernel_channel_t *channel = (kernel_channel_t *)args[0];
    if (channel == NULL) {
        return KERNEL_ERROR_ARGUMENT;
    }
    kernel_wait_end_all(&channel->senders, channel);
    kernel_wait_end_all(&channel->receivers, channel);
    kernel_port_key_t key = kernel_lock();
    channel->pulse_count = 0;
    kernel_unlock(key);
    return KERNEL_OK;
}
