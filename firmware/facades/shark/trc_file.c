/*
 * Types of queues that are saved: in the trace and, if the target supports files, in a file of
 * records.
 */
#include <stddef.h>
#include <string.h>

#include "trc.h"
#include "trc_port.h"
#include "trc_queue.h"

#define PATH_MAX_BYTES 96u

static const char *base_path;

void trc_set_path(const char *path)
{
    base_path = path != NULL ? path : ".";
}

/* Append a text to a path, if it fits. */
static void append(char *path, const char *text)
{
    size_t used = strlen(path);
    size_t count = strlen(text);
    if (used + count < PATH_MAX_BYTES) {
        memcpy(path + used, text, count + 1u);
    }
}

static void write_event(trc_stream_queue_t *queue, const trc_event_t *event)
{
    trc_port_write(queue->file, event, sizeof *event);
}

static void write_buffer(void *context, const tt_sent_buffer_t *buffer)
{
    trc_stream_translate(context, buffer, write_event);
}

/* Open the queue's file: `filename`, or `default_name` followed by the queue's number, from 1. */
static void open_file(trc_stream_queue_t *queue, const char *filename, const char *default_name)
{
    char path[PATH_MAX_BYTES] = "";
    const char number[] = {(char)('1' + queue->number), '\0'};
    append(path, base_path);
    append(path, "/");
    append(path, filename != NULL ? filename : default_name);
    append(path, filename != NULL ? "" : number);
    queue->file = trc_port_open(path);
    if (queue->file != NULL) {
        (void)tt_set_buffer_callback(queue->number, write_buffer, queue);
    }
}

static int create_fixed(trc_queue_t *queue, void *args)
{
    TRC_FIXED_PARMS parms;
    trc_fixed_default_parms(parms);
    if (args != NULL) {
        parms = *(const TRC_FIXED_PARMS *)args;
    }
    if (trc_stream_prepare(queue->data, parms.size, TT_POLICY_DROP) < 0) {
        return -1;
    }
    open_file(queue->data, parms.filename, "fix");
    return 0;
}

int trc_register_fixed_queue(void)
{
    return trc_register_queuetype(TRC_FIXED_QUEUE, create_fixed, trc_stream_activate,
                                  trc_stream_terminate);
}

int trc_register_dosfs_fixed_queue(void)
{
    return trc_register_queuetype(TRC_DOSFS_FIXED_QUEUE, create_fixed, trc_stream_activate,
                                  trc_stream_terminate);
}

static int create_circular(trc_queue_t *queue, void *args)
{
    TRC_CIRCULAR_PARMS parms;
    trc_circular_default_parms(parms);
    if (args != NULL) {
        parms = *(const TRC_CIRCULAR_PARMS *)args;
    }
    trc_stream_queue_t *stream = queue->data;
    stream->served = (parms.flags & TRC_CIRCULAR_ONLINETASK) != 0;
    if (stream->served && (parms.period <= 0 || parms.slice <= 0 || parms.slice > parms.period)) {
        return -1;
    }
    stream->period_us = (uint32_t)parms.period;
    stream->slice_us = (uint32_t)parms.slice;
    if (trc_stream_prepare(stream, parms.size,
                           stream->served ? TT_POLICY_DROP : TT_POLICY_OVERWRITE) < 0) {
        return -1;
    }
    open_file(stream, parms.filename, "cir");
    return 0;
}

int trc_register_circular_queue(void)
{
    return trc_register_queuetype(TRC_CIRCULAR_QUEUE, create_circular, trc_stream_activate,
                                  trc_stream_terminate);
}

/* A dummy queue records nothing and needs no preparation. */
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
