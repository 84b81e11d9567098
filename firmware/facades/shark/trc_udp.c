/*
 * The type of queues that are sent while the system runs, at most one packet per period. A packet
 * of the S.Ha.R.K. tracer contains the number of records (u16), then the records, in the target's
 * byte order.
 */
#include <stddef.h>
#include <string.h>

#include "trc.h"
#include "trc_port.h"
#include "trc_queue.h"

#define COUNT_BYTES sizeof(uint16_t)

/* Packet of the buffer being sent; one task at a time drains. */
static struct {
    uint8_t bytes[COUNT_BYTES + TRC_UDP_PACKET_RECORDS * sizeof(trc_event_t)];
    uint16_t count;
} packet;

static void add_event(trc_stream_queue_t *queue, const trc_event_t *event)
{
    (void)queue;
    memcpy(packet.bytes + COUNT_BYTES + packet.count * sizeof *event, event, sizeof *event);
    packet.count++;
}

static void send_packet(void *context, const tt_sent_buffer_t *buffer)
{
    trc_stream_queue_t *queue = context;
    packet.count = 0;
    trc_stream_translate(queue, buffer, add_event);
    if (packet.count > 0u) {
        memcpy(packet.bytes, &packet.count, COUNT_BYTES);
        trc_port_udp_send(queue->socket, packet.bytes,
                          (uint32_t)(COUNT_BYTES + packet.count * sizeof(trc_event_t)));
    }
}

static void open_socket(trc_stream_queue_t *queue, const TRC_UDP_PARMS *parms)
{
    queue->socket = trc_port_udp_open(&parms->local, &parms->remote);
    if (queue->socket != NULL) {
        (void)tt_set_buffer_callback(queue->number, send_packet, queue);
    }
}

/* Set period and budget of a queue's task from the user's model or the defaults. Returns -1 for an
 * invalid model. */
static int take_model(trc_stream_queue_t *queue, const TASK_MODEL *of_user)
{
    SOFT_TASK_MODEL model;
    soft_task_default_model(model);
    soft_task_def_period(model, TRC_UDP_PERIOD_US);
    soft_task_def_met(model, TRC_UDP_WCET_US);
    soft_task_def_wcet(model, TRC_UDP_WCET_US);
    if (of_user != NULL) {
        model = *(const SOFT_TASK_MODEL *)(const void *)of_user;
    }
    queue->served = true;
    queue->one_a_period = true;
    queue->period_us = (uint32_t)model.period;
    queue->slice_us = (uint32_t)model.wcet;
    return model.period > 0 && model.wcet > 0 && model.wcet <= model.period ? 0 : -1;
}

static int create_udp(trc_queue_t *queue, void *args)
{
    TRC_UDP_PARMS parms;
    const UDP_ADDR nowhere = {.s_port = 0};
    trc_udp_default_parms(parms, nowhere, nowhere);
    if (args != NULL) {
        parms = *(const TRC_UDP_PARMS *)args;
    }
    bool has_packets = parms.remote.s_port != 0u;
    if (has_packets && TT_CONFIG_BUFFER_RECORDS > TRC_UDP_PACKET_RECORDS) {
        return -1;
    }
    if (take_model(queue->data, parms.model) < 0 ||
        trc_stream_prepare(queue->data, parms.size, TT_POLICY_DROP) < 0) {
        return -1;
    }
    if (has_packets) {
        open_socket(queue->data, &parms);
    }
    return 0;
}

int trc_register_udp_queue(void)
{
    return trc_register_queuetype(TRC_UDP_QUEUE, create_udp, trc_stream_activate,
                                  trc_stream_terminate);
}
