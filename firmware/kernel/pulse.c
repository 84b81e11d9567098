/* Pulses: words that a channel keeps until they are received. */
#include "internal.h"
#include "message.h"

/* The pulse was handed over while the thread waited: the thread itself tells the trace. */
static void tell_received(const kernel_thread_t *thread)
{
    tt_hook_pulse_received(thread->news_object, KERNEL_DOMAIN);
}

bool kernel_pulse_take(kernel_channel_t *channel, kernel_received_t *received)
{
    if (channel->pulse_count == 0u) {
        return false;
    }
    *received = (kernel_received_t){.pulse = channel->pulses[channel->first_pulse]};
    channel->first_pulse = (uint8_t)((channel->first_pulse + 1u) % KERNEL_CHANNEL_PULSES);
    channel->pulse_count--;
    tt_hook_pulse_received(channel, KERNEL_DOMAIN);
    return true;
}

int kernel_pulse_send(kernel_channel_t *channel, uint32_t pulse)
{
    return kernel_call(TT_KERCALL_MSG_SEND_PULSE, (kernel_word_t)channel, pulse, 0);
}

/* [locked] */
static int32_t send(kernel_channel_t *channel, uint32_t pulse)
{
    kernel_thread_t *receiver = channel->receivers.first;
    if (receiver == NULL && channel->pulse_count == KERNEL_CHANNEL_PULSES) {
        return KERNEL_ERROR_FULL;
    }
    tt_hook_pulse_sent(channel, KERNEL_DOMAIN);
    if (receiver == NULL) {
        uint32_t end = channel->first_pulse + (uint32_t)channel->pulse_count;
        channel->pulses[end % KERNEL_CHANNEL_PULSES] = pulse;
        channel->pulse_count++;
    } else {
        *receiver->receipt->received = (kernel_received_t){.pulse = pulse};
        receiver->news = tell_received;
        receiver->news_object = channel;
        kernel_unblock(receiver, KERNEL_OK);
    }
    return KERNEL_OK;
}

int32_t kernel_service_pulse_send(const kernel_word_t *args)
{
    kernel_channel_t *channel = (kernel_channel_t *)args[0];
    if (channel == NULL) {
        return KERNEL_ERROR_ARGUMENT;
    }
    kernel_port_key_t key = kernel_lock();
    int32_t result = send(channel, (uint32_t)args[1]);
    kernel_unlock(key);
    return result;
}
