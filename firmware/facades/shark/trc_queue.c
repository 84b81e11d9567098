/*
 * Common part of the queues that are streams of the recorder. All are held (tt_pause_drain()).
 * trc_end() sends a queue that is saved at the end. A server with a period and a budget sends a
 * queue that is saved while the system runs.
 */
#include "trc_queue.h"

#include <stddef.h>
#include <string.h>

#include "trc.h"
#include "trc_events.h"
#include "trc_port.h"

#define US_PER_S     1000000u
#define US_PER_MS    1000u
#define UNKNOWN_TASK 0xffffu /* the running task is unknown */

/* Pauses of about a millisecond, in addition to two periods of a server, after which save_rest()
 * gives up on a link that accepts nothing. */
#define PAUSES_MAX 1000u

static trc_stream_queue_t stream_queues[TRC_MAXQUEUES];

void *trc_stream_queue(uint32_t number)
{
    stream_queues[number] = (trc_stream_queue_t){.number = number};
    return &stream_queues[number];
}

uint32_t trc_time_us(uint64_t ticks)
{
    uint64_t hz = tt_clock_hz() == 0u ? US_PER_S : tt_clock_hz();
    return (uint32_t)(ticks / hz * US_PER_S + ticks % hz * US_PER_S / hz);
}

/* Store the running task of a CPU, for events that do not contain it. */
static void follow(trc_stream_queue_t *queue, uint32_t cpu, const trc_event_t *event)
{
    if (event->event == TRC_SCHEDULE) {
        queue->task[cpu] = event->x.sys.task;
    }
}

void trc_stream_translate(trc_stream_queue_t *queue, const tt_sent_buffer_t *buffer,
                          trc_take_t take)
{
    uint64_t ticks = buffer->ticks;
    for (uint32_t cpu = 0; buffer->loss_before && cpu < TT_CONFIG_CPUS; cpu++) {
        if (TT_RING_CPUS == 1 || cpu == buffer->cpu) {
            queue->task[cpu] = UNKNOWN_TASK;
            queue->activation[cpu] = 0;
        }
    }
    for (uint32_t i = 0; i < buffer->count; i++) {
        trc_event_t event;
        const tt_record_t *record = &buffer->records[i];
        const uint32_t cpu = (record->header & TT_RECORD_CPU_MASK) >> TT_RECORD_CPU_FIRST_BIT;
        bool is_simple = tt_record_struct(record->header) == TT_RECORD_SIMPLE;
        ticks = is_simple ? tt_extend_time(ticks, record->time) : ticks;
        if (is_simple && !trc_repeats(record->header, record->data, &queue->activation[cpu]) &&
            trc_translate(record->header, record->data, queue->task[cpu], &event)) {
            event.time = trc_time_us(ticks);
            follow(queue, cpu, &event);
            take(queue, &event);
        }
    }
}

/* Return the sum of the counters of all rings of a queue. */
static tt_ring_status_t status_of(const trc_stream_queue_t *queue)
{
    tt_ring_status_t sum = {0};
    for (uint32_t cpu = 0; cpu < TT_RING_CPUS; cpu++) {
        tt_ring_status_t status;
        (void)tt_ring_status(queue->number, cpu, &status);
        sum.offered += status.offered;
        sum.dropped += status.dropped;
        sum.overwritten += status.overwritten;
        sum.sent += status.sent;
    }
    return sum;
}

/* Return the number of records that wait in the queue. */
static uint64_t held_records(const trc_stream_queue_t *queue)
{
    const tt_ring_status_t status = status_of(queue);
    return status.offered - status.dropped - status.overwritten - status.sent;
}

/* The server. ---------------------------------------------------------------------------------- */

static void report_losses(trc_stream_queue_t *queue)
{
    uint64_t dropped = status_of(queue).dropped;
    if (dropped != queue->dropped_so_far) {
        const trc_tracer_event_t lost = {.n = (uint32_t)(dropped - queue->dropped_so_far)};
        queue->dropped_so_far = dropped;
        (void)trc_logevent(TRC_HOOPS, &lost);
    }
}

/* Send a buffer. A queue that sends one buffer per period also closes a partly filled one, so that
 * its records do not wait for long. Returns false when there is nothing to send. */
static bool send_buffer(trc_stream_queue_t *queue)
{
    if (tt_drain_stream(queue->number)) {
        return true;
    }
    uint64_t held = held_records(queue);
    if (!queue->one_a_period || held == 0u || held >= TT_CONFIG_BUFFER_RECORDS) {
        return false;
    }
    tt_flush_all(queue->number);
    return tt_drain_stream(queue->number);
}

/*
 * Send buffers as long as another one fits into the budget, estimated by the longest one so far.
 * The clock runs on while other threads run, so a server never exceeds its budget, and uses less
 * when it is preempted. Decay the estimate by 25 % per period once it exceeds the budget, so that
 * one preemption cannot starve the server.
 */
static void spend_slice(trc_stream_queue_t *queue)
{
    uint32_t begin_us = trc_time_us(tt_clock_now());
    uint32_t used_us = 0;
    if (queue->longest_us > queue->slice_us) {
        queue->longest_us -= (queue->longest_us + 3u) / 4u;
    }
    while (used_us + queue->longest_us <= queue->slice_us && send_buffer(queue)) {
        uint32_t now_us = trc_time_us(tt_clock_now()) - begin_us;
        if (now_us - used_us > queue->longest_us) {
            queue->longest_us = now_us - used_us;
        }
        used_us = now_us;
        if (queue->one_a_period) {
            break;
        }
    }
}

/* One activation of a server. */
static void serve(uint32_t number)
{
    trc_stream_queue_t *queue = &stream_queues[number];
    trc_port_drain_begin();
    spend_slice(queue);
    trc_port_drain_end();
    report_losses(queue);
}

/* Begin and end. ------------------------------------------------------------------------------- */

/* Return the number of buffers that keep `size` events; 0: all. An overwritten buffer is lost as a
 * whole, and the newest one is not full, so a queue that overwrites has one more. */
static uint32_t buffers_for(uint32_t size, tt_policy_t policy)
{
    if (size == 0u) {
        return TT_CONFIG_BUFFERS;
    }
    uint32_t wanted = (size - 1u) / TT_CONFIG_BUFFER_RECORDS + 1u;
    wanted += policy == TT_POLICY_OVERWRITE ? 1u : 0u;
    return wanted < 2u ? 2u : wanted;
}

int trc_stream_prepare(trc_stream_queue_t *queue, int size, tt_policy_t policy)
{
    for (uint32_t cpu = 0; cpu < TT_CONFIG_CPUS; cpu++) {
        queue->task[cpu] = UNKNOWN_TASK;
    }
    if (size < 0 || tt_set_policy(queue->number, policy) != TT_OK ||
        tt_set_buffers(queue->number, buffers_for((uint32_t)size, policy)) != TT_OK) {
        return -1;
    }
    return tt_pause_drain(queue->number, true);
}

int trc_stream_activate(void *data, int number)
{
    (void)number;
    trc_stream_queue_t *queue = data;
    return queue->served ? trc_port_start_server(serve, queue->number, queue->period_us) : 0;
}

static void drain_all(const trc_stream_queue_t *queue)
{
    trc_port_drain_begin();
    while (tt_drain_stream(queue->number)) {
    }
    trc_port_drain_end();
}

/* Wait until all records are sent; the server of a queue with one buffer per period sends them.
 * Return after PAUSES_MAX pauses without progress: the drain then sends the rest. */
static void save_rest(const trc_stream_queue_t *queue)
{
    uint32_t most = PAUSES_MAX + 2u * (queue->period_us / US_PER_MS);
    uint64_t left = held_records(queue);
    for (uint32_t pauses = 0; left != 0u && pauses < most; pauses++) {
        if (!queue->one_a_period) {
            drain_all(queue);
        }
        trc_port_pause();
        uint64_t before = left;
        left = held_records(queue);
        pauses = left < before ? 0u : pauses;
    }
}

int trc_stream_terminate(void *data)
{
    trc_stream_queue_t *queue = data;
    save_rest(queue);
    trc_port_drain_begin();
    (void)tt_set_buffer_callback(queue->number, NULL, NULL);
    if (queue->file != NULL) {
        trc_port_close(queue->file);
        queue->file = NULL;
    }
    if (queue->socket != NULL) {
        trc_port_udp_close(queue->socket);
        queue->socket = NULL;
    }
    trc_port_drain_end();
    return tt_pause_drain(queue->number, false);
}
