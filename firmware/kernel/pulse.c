/* Pulses: words that a channel stores until they are received. */
#include "internal.h"
#include "message.h"

/* Trace, in the context of the thread, that it received a pulse while it waited. */
static void report_received(const kernel_thread_t *thread)
{
    tt_hook_pulse_received(thread->on_resume_object, KERNEL_DOMAIN);
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

KERNEL_OBJECT_SERVICE(pulse_send, kernel_channel_t *channel)
{
    uint32_t pulse = (uint32_t)args[1];
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
        receiver->on_resume = report_received;
        receiver->on_resume_object = channel;
        kernel_unblock(receiver, KERNEL_OK);
    }
    return KERNEL_OK;
}
