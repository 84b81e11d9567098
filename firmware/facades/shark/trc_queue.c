/*
 * Types of queues that are streams of the recorder. A queue that is saved at the end is held: its
 * policy alone decides what is kept, and trc_end() lets it go. A queue that is saved while the
 * system runs is held as well, and drained by a server of its own with a period and a budget.
 */
#include "trc_queue.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "tickertape/tickertape.h"
#include "trc.h"
#include "trc_events.h"
#include "trc_port.h"

#define US_PER_S       1000000u
#define PATH_MAX_BYTES 96u
#define NOBODY         0xffffu /* it is not known who runs */
#define PAUSES_MAX     1000u

/* One queue as its type knows it. */
typedef struct stream_queue {
    uint64_t dropped_so_far; /* told by TRC_HOOPS */
    const char *filename;
    const char *default_name; /* in front of the queue's number */
    void *file;
    uint32_t number;
    uint32_t period_us;
    uint32_t slice_us;             /* 0: one buffer a period */
    uint32_t longest_us;           /* what a step of the server has taken at most */
    uint16_t task[TT_CONFIG_CPUS]; /* who has the processor, as the events say */
    bool served;                   /* a server drains it */
} stream_queue_t;

static stream_queue_t stream_queues[TRC_MAXQUEUES];
static const char *base_path;

void *trc_stream_queue(uint32_t number)
{
    stream_queues[number] = (stream_queue_t){.number = number};
    return &stream_queues[number];
}

void trc_set_path(const char *path)
{
    base_path = path;
}

uint32_t trc_time_us(uint64_t ticks)
{
    uint64_t hz = tt_clock_hz() == 0u ? US_PER_S : tt_clock_hz();
    return (uint32_t)(ticks / hz * US_PER_S + ticks % hz * US_PER_S / hz);
}

/* Files. --------------------------------------------------------------------------------------- */

/* Append a text to a path as far as it fits. */
static void append(char *path, const char *text)
{
    size_t used = strlen(path);
    size_t count = strlen(text);
    if (used + count < PATH_MAX_BYTES) {
        memcpy(path + used, text, count + 1u);
    }
}

static void open_file(stream_queue_t *queue)
{
    char path[PATH_MAX_BYTES] = "";
    const char number[] = {(char)('1' + queue->number), '\0'};
    if (base_path == NULL) {
        return;
    }
    append(path, base_path);
    append(path, "/");
    if (queue->filename != NULL) {
        append(path, queue->filename);
    } else {
        append(path, queue->default_name);
        append(path, number);
    }
    queue->file = trc_port_open(path);
}

/* Follow the threads, which some events name and do not say. */
static void follow(stream_queue_t *queue, uint32_t cpu, const trc_event_t *event)
{
    if (event->event == TRC_SCHEDULE) {
        queue->task[cpu] = event->x.sys.task;
    }
}

/* Write a buffer's events as records of that tracer; the rest of its records is left out. */
static void write_buffer(void *context, const tt_tapped_t *buffer)
{
    stream_queue_t *queue = context;
    uint64_t ticks = buffer->ticks;
    if (buffer->loss_before) {
        queue->task[buffer->cpu] = NOBODY;
    }
    for (uint32_t i = 0; i < buffer->count; i++) {
        trc_event_t event;
        const tt_record_t *record = &buffer->records[i];
        bool is_simple = record->header >> TT_RECORD_STRUCT_FIRST_BIT == TT_RECORD_SIMPLE;
        ticks += is_simple ? record->time - (uint32_t)ticks : 0u;
        if (is_simple &&
            trc_translate(record->header, record->data, queue->task[buffer->cpu], &event)) {
            event.time = trc_time_us(ticks);
            follow(queue, buffer->cpu, &event);
            trc_port_write(queue->file, &event, sizeof event);
        }
    }
}

/* Streams that are saved. ---------------------------------------------------------------------- */

static void tell_losses(stream_queue_t *queue)
{
    uint64_t dropped = 0;
    for (uint32_t cpu = 0; cpu < TT_CONFIG_CPUS; cpu++) {
        tt_ring_status_t status;
        (void)tt_ring_status(queue->number, cpu, &status);
        dropped += status.dropped;
    }
    if (dropped != queue->dropped_so_far) {
        const trc_tracer_event_t lost = {.n = (uint32_t)(dropped - queue->dropped_so_far)};
        queue->dropped_so_far = dropped;
        (void)trc_logevent(TRC_HOOPS, &lost);
    }
}

/* Send what is there as long as another buffer fits into the budget; it counts as what the longest
 * one took. The clock goes on while others run, so a server never uses more than its budget, and
 * less when it is preempted. */
static void spend_slice(stream_queue_t *queue)
{
    uint32_t begin_us = trc_time_us(tt_clock_now());
    uint32_t used_us = 0;
    while (used_us + queue->longest_us <= queue->slice_us && tt_drain_stream(queue->number)) {
        uint32_t now_us = trc_time_us(tt_clock_now()) - begin_us;
        if (now_us - used_us > queue->longest_us) {
            queue->longest_us = now_us - used_us;
        }
        used_us = now_us;
    }
}

/* One activation of a server. */
static void serve(uint32_t number)
{
    stream_queue_t *queue = &stream_queues[number];
    trc_port_drain_begin();
    if (queue->slice_us != 0u) {
        spend_slice(queue);
    } else {
        (void)tt_drain_stream(number);
    }
    trc_port_drain_end();
    tell_losses(queue);
}

static int activate(void *data, int number)
{
    (void)number;
    stream_queue_t *queue = data;
    return queue->served ? trc_port_start_server(serve, queue->number, queue->period_us) : 0;
}

static bool is_saved(const stream_queue_t *queue)
{
    for (uint32_t cpu = 0; cpu < TT_CONFIG_CPUS; cpu++) {
        tt_ring_status_t status;
        (void)tt_ring_status(queue->number, cpu, &status);
        if (status.sent + status.dropped + status.overwritten != status.offered) {
            return false;
        }
    }
    return true;
}

/* Save what is left. A link that takes nothing more is given up after a while; the drain goes on
 * with it then. */
static int terminate(void *data)
{
    stream_queue_t *queue = data;
    queue->served = false;
    for (uint32_t pauses = 0; !is_saved(queue) && pauses < PAUSES_MAX; pauses++) {
        trc_port_drain_begin();
        while (tt_drain_stream(queue->number)) {
            pauses = 0;
        }
        trc_port_drain_end();
        trc_port_pause();
    }
    if (queue->file != NULL) {
        (void)tt_set_tap(queue->number, NULL, NULL);
        trc_port_close(queue->file);
        queue->file = NULL;
    }
    return tt_hold(queue->number, false);
}

/* Buffers for `size` events, as many as there are at most. */
static uint32_t buffers_for(int size)
{
    uint32_t wanted = ((uint32_t)size + TT_CONFIG_BUFFER_RECORDS - 1u) / TT_CONFIG_BUFFER_RECORDS;
    uint32_t least = wanted < 2u ? 2u : wanted;
    return least > TT_CONFIG_BUFFERS ? TT_CONFIG_BUFFERS : least;
}

static int prepare(stream_queue_t *queue, const char *filename, const char *default_name, int size,
                   tt_policy_t policy)
{
    queue->filename = filename;
    queue->default_name = default_name;
    for (uint32_t cpu = 0; cpu < TT_CONFIG_CPUS; cpu++) {
        queue->task[cpu] = NOBODY;
    }
    if (size <= 0 || tt_set_policy(queue->number, policy) != TT_OK ||
        tt_set_buffers(queue->number, buffers_for(size)) != TT_OK) {
        return -1;
    }
    open_file(queue);
    if (queue->file != NULL) {
        (void)tt_set_tap(queue->number, write_buffer, queue);
    }
    return tt_hold(queue->number, true);
}

/* The types. ----------------------------------------------------------------------------------- */

static int create_dummy(trc_queue_t *queue, void *args)
{
    (void)queue;
    (void)args;
    return 0;
}

int trc_register_dummy_queue(void)
{
    return trc_register_queuetype(TRC_DUMMY_QUEUE, create_dummy, NULL, NULL);
}

static int create_fixed(trc_queue_t *queue, void *args)
{
    TRC_FIXED_PARMS parms;
    trc_fixed_default_parms(parms);
    if (args != NULL) {
        parms = *(const TRC_FIXED_PARMS *)args;
    }
    return prepare(queue->data, parms.filename, "fix", parms.size, TT_POLICY_DROP);
}

int trc_register_fixed_queue(void)
{
    return trc_register_queuetype(TRC_FIXED_QUEUE, create_fixed, activate, terminate);
}

int trc_register_dosfs_fixed_queue(void)
{
    return trc_register_queuetype(TRC_DOSFS_FIXED_QUEUE, create_fixed, activate, terminate);
}

static int create_circular(trc_queue_t *queue, void *args)
{
    TRC_CIRCULAR_PARMS parms;
    trc_circular_default_parms(parms);
    if (args != NULL) {
        parms = *(const TRC_CIRCULAR_PARMS *)args;
    }
    stream_queue_t *stream = queue->data;
    stream->served = (parms.flags & TRC_CIRCULAR_ONLINETASK) != 0;
    if (stream->served && (parms.period <= 0 || parms.slice <= 0 || parms.slice > parms.period)) {
        return -1;
    }
    stream->period_us = (uint32_t)parms.period;
    stream->slice_us = (uint32_t)parms.slice;
    return prepare(stream, parms.filename, "cir", parms.size,
                   stream->served ? TT_POLICY_DROP : TT_POLICY_OVERWRITE);
}

int trc_register_circular_queue(void)
{
    return trc_register_queuetype(TRC_CIRCULAR_QUEUE, create_circular, activate, terminate);
}
