/*
 * Logs: tapes to which the events of a stream are flushed. A log begins with attributes and HELLO.
 * When the stream is shut down, the names of event types, the counters, the state of the log and
 * the index follow the records.
 */
#include <errno.h>
#include <string.h>

#include "log_meta.h"
#include "posix_stream.h"
#include "posix_time.h"
#include "tape.h"
#include "tickertape/define.h"
#include "tickertape/events.h"
#include "tickertape/stream.h"

#define COPY_BYTES 256u

static int write_chunk(posix_stream_t *stream, tt_wire_chunk_header_t header,
                       const posix_piece_t *pieces, uint32_t piece_count)
{
    header.stream = (uint8_t)posix_stream_number(stream);
    return posix_chunk_write(stream->log.file, &stream->log.bytes, &header, pieces, piece_count);
}

/* Before the records. ------------------------------------------------------------------------ */

static int write_text(posix_stream_t *stream, const char *text, uint32_t bytes)
{
    const posix_piece_t piece = {text, bytes};
    return write_chunk(stream, (tt_wire_chunk_header_t){.type = TT_CHUNK_TYPE_META}, &piece, 1);
}

static int write_meta(posix_stream_t *stream)
{
    char text[POSIX_META_BYTES];
    return write_text(stream, text, posix_meta_put_attr(text, &stream->attr));
}

static int write_hello(posix_stream_t *stream)
{
    static const char name[] = "posix_trace";
    const tt_wire_hello_t hello = {
        .flags = TT_HELLO_FLAGS,
        .major = TT_PROTOCOL_MAJOR,
        .minor = TT_PROTOCOL_MINOR,
        .byte_order = TT_BYTE_ORDER_LITTLE,
        .cpu_count = TT_CONFIG_CPUS,
        .stream_count = TT_CONFIG_STREAMS,
        .buffer_count = TT_CONFIG_BUFFERS,
        .buffer_records = TT_CONFIG_BUFFER_RECORDS,
        .tick_hz = tt_clock_hz(),
        .dictionary = TT_DICTIONARY_HASH,
        .ticks = stream->created_ticks,
    };
    const posix_piece_t pieces[] = {{&hello, sizeof hello}, {name, sizeof name - 1u}};
    return write_chunk(stream, (tt_wire_chunk_header_t){.type = TT_CHUNK_TYPE_HELLO}, pieces, 2);
}

static int write_anchor(posix_stream_t *stream)
{
    struct timespec time;
    posix_port_time(stream->created_ticks, &time);
    const tt_wire_anchor_t anchor = {
        .target_ticks = stream->created_ticks,
        .host_ns = posix_ns_of_time(&time),
    };
    const posix_piece_t piece = {&anchor, sizeof anchor};
    return write_chunk(stream, (tt_wire_chunk_header_t){.type = TT_CHUNK_TYPE_ANCHOR}, &piece, 1);
}

int posix_log_begin(posix_stream_t *stream, int file)
{
    stream->log = (posix_log_t){.exists = true, .bytes = sizeof(tt_wire_tape_header_t)};
    int result = posix_port_file_open(file, &stream->log.file);
    if (result != 0) {
        stream->log.exists = false;
        return result;
    }
    result = posix_port_file_cut(stream->log.file, 0);
    result = result != 0 ? result : posix_tape_write_header(stream->log.file);
    result = result != 0 ? result : write_meta(stream);
    result = result != 0 ? result : write_hello(stream);
    result = result != 0 ? result : write_anchor(stream);
    if (result == 0 && stream->attr.stream_full_policy == POSIX_TRACE_FLUSH) {
        result = posix_port_start_service();
    }
    stream->log.first = stream->log.bytes;
    if (result != 0) {
        stream->log.exists = false;
        posix_port_file_close(stream->log.file);
    }
    return result;
}

/* Records. ------------------------------------------------------------------------------------- */

/* Move the chunks from position `from` on to the start of the records, and cut the file after
 * them. */
static int move_down(posix_log_t *log, uint64_t from)
{
    uint8_t bytes[COPY_BYTES];
    uint64_t to = log->first;
    while (from < log->bytes) {
        uint64_t left = log->bytes - from;
        size_t count = left < sizeof bytes ? (size_t)left : sizeof bytes;
        int result = posix_port_file_read(log->file, from, bytes, count);
        result = result != 0 ? result : posix_port_file_write(log->file, to, bytes, count);
        if (result != 0) {
            return result;
        }
        from += count;
        to += count;
    }
    log->bytes = to;
    return posix_port_file_cut(log->file, to);
}

/* Make room in a log that loops: discard the older half of its chunks, or all if `wanted` bytes
 * exceed half of the limit. */
static int make_room(posix_log_t *log, uint64_t limit, uint64_t wanted)
{
    uint64_t from = log->first;
    uint64_t keep = limit / 2u > wanted ? limit / 2u : 0u;
    while (from < log->bytes && log->bytes - from > keep) {
        tt_wire_chunk_header_t header;
        int result = posix_chunk_read(log->file, from, &header);
        if (result != 0) {
            return result;
        }
        from = posix_chunk_end(from, header.body_bytes);
    }
    log->overrun = true;
    log->full = true;
    return move_down(log, from);
}

/* Make room for a chunk of `wanted` bytes according to the policy of the log. *room is false when
 * there is none. */
static int check_room(posix_stream_t *stream, uint64_t wanted, bool *room)
{
    posix_log_t *log = &stream->log;
    uint64_t limit = stream->attr.log_max_size;
    bool closed = log->full && stream->attr.log_full_policy == POSIX_TRACE_UNTIL_FULL;
    *room = stream->attr.log_full_policy == POSIX_TRACE_APPEND ||
            (!closed && log->bytes - log->first + wanted <= limit);
    if (*room) {
        return 0;
    }
    if (stream->attr.log_full_policy == POSIX_TRACE_LOOP) {
        *room = wanted <= limit;
        return make_room(log, limit, wanted);
    }
    log->full = true;
    log->overrun = true;
    return 0;
}

/* Write a buffer to the log. Returns false when it is lost. */
static bool log_buffer(posix_stream_t *stream, const tt_reading_t *reading)
{
    static const uint8_t zeros[POSIX_CHUNK_ALIGN];
    tt_wire_buffer_header_t buffer = reading->header;
    buffer.sent = stream->log.records; /* counts the records on the tape */
    const posix_piece_t pieces[] = {
        {&buffer, sizeof buffer},
        {zeros, POSIX_CHUNK_ALIGN - sizeof buffer % POSIX_CHUNK_ALIGN},
        {reading->records, reading->count * (uint32_t)sizeof *reading->records},
    };
    bool room = false;
    uint32_t bytes = pieces[0].count + pieces[1].count + pieces[2].count;
    int result = check_room(stream, posix_chunk_end(0, bytes), &room);
    if (result == 0 && room) {
        const tt_wire_chunk_header_t header = {
            .type = TT_CHUNK_TYPE_RECORDS, .buffer_count = 1, .record_count = reading->count};
        result = write_chunk(stream, header, pieces, 3);
    }
    if (result != 0 && stream->log.flush_error == 0) {
        stream->log.flush_error = result;
    }
    bool is_logged = result == 0 && room;
    stream->log.records += is_logged ? reading->count : 0u;
    return is_logged;
}

/* Flush the buffers that hold records now. The number is read once, so that a running stream cannot
 * prolong the loop. */
static int flush_buffers(posix_stream_t *stream)
{
    uint32_t number = posix_stream_number(stream);
    int before = stream->log.flush_error;
    stream->log.flush_error = 0;
    tt_flush(number);
    for (uint32_t left = tt_buffers_in_use(number); left > 0u; left--) {
        tt_reading_t reading;
        if (!tt_acquire_buffer(number, &reading)) {
            break;
        }
        tt_release_buffer(number, &reading, log_buffer(stream, &reading) ? reading.count : 0u);
    }
    int result = stream->log.flush_error;
    stream->log.flush_error = before != 0 ? before : result;
    return result;
}

int posix_log_flush(posix_stream_t *stream)
{
    const uint32_t words[2] = {posix_stream_number(stream), 0};
    bool was_full = stream->started && !posix_stream_is_running(stream);
    stream->log.flushing = true;
    if (!was_full && stream->started) {
        posix_record(stream, POSIX_TRACE_FLUSH_START, words, 2);
    }
    int result = flush_buffers(stream);
    if (was_full) {
        posix_stream_restart(stream);
    }
    if (stream->started) {
        if (result != 0) {
            posix_record_error(stream, result);
        }
        posix_record(stream, POSIX_TRACE_FLUSH_STOP, words, 2);
    }
    stream->log.flushing = false;
    return result;
}

/* Called periodically. Flushes a stream with policy FLUSH when half of its buffers are in use, and
 * restarts a stream that stopped as full when a host has received all its records. */
void posix_flush_service(void)
{
    posix_port_lock();
    for (uint32_t i = 0; i < POSIX_STREAMS; i++) {
        posix_stream_t *stream = &posix_streams[i];
        if (stream->used && stream->log.exists && stream->owner == posix_port_pid() &&
            stream->attr.stream_full_policy == POSIX_TRACE_FLUSH &&
            tt_buffers_in_use(i) * 2u >= tt_buffers(i)) {
            (void)posix_log_flush(stream);
        }
        if (stream->used && posix_stream_attached(i)) {
            posix_stream_restart_drained(stream);
        }
    }
    posix_port_unlock();
}

int posix_log_clear(posix_stream_t *stream)
{
    posix_log_t *log = &stream->log;
    log->bytes = log->first;
    log->full = false;
    log->overrun = false;
    log->flush_error = 0;
    return posix_port_file_cut(log->file, log->first);
}

/* After the records. --------------------------------------------------------------------------- */

static int write_names(posix_stream_t *stream)
{
    int result = 0;
    for (uint32_t user = 0; user < TRACE_USER_EVENT_MAX && result == 0; user++) {
        const char *text = posix_type_name((trace_event_id_t)(POSIX_FIRST_USER + user));
        if (text != NULL) {
            const tt_wire_name_t name = {.kind = TT_OBJECT_KIND_EVENT,
                                         .id = TT_EVENT_TYPE(TT_CLASS_USER, user)};
            const posix_piece_t pieces[] = {{&name, sizeof name}, {text, (uint32_t)strlen(text)}};
            result = write_chunk(stream, (tt_wire_chunk_header_t){.type = TT_CHUNK_TYPE_NAME},
                                 pieces, 2);
        }
    }
    return result;
}

static int write_status(posix_stream_t *stream)
{
    uint32_t number = posix_stream_number(stream);
    tt_ring_status_t now;
    tt_wire_class_counters_t counters[TT_CLASS_COUNT];
    (void)tt_ring_status(number, 0, &now);
    for (uint32_t i = 0; i < TT_CLASS_COUNT; i++) {
        (void)tt_class_status(number, 0, i, &counters[i]);
    }
    const tt_wire_status_t status = {
        .settled_ordinal = now.offered,
        .settled_dropped = now.dropped,
        .settled_sent = stream->log.records,
        .offered = now.offered,
        .dropped = now.dropped,
        .overwritten = now.offered - now.dropped - stream->log.records,
        .ticks = tt_clock_now(),
        .policy = TT_POLICY_DROP,
        .class_count = TT_CLASS_COUNT,
        .final = 1,
        .high_water_buffers = now.high_water_buffers,
    };
    const posix_piece_t pieces[] = {{&status, sizeof status}, {counters, sizeof counters}};
    return write_chunk(stream, (tt_wire_chunk_header_t){.type = TT_CHUNK_TYPE_STATUS}, pieces, 2);
}

static int write_state(posix_stream_t *stream)
{
    char text[POSIX_META_BYTES];
    const posix_log_state_t state = {
        .overrun = posix_stream_losses(stream) != stream->losses_reported,
        .flush_error = stream->log.flush_error,
        .log_overrun = stream->log.overrun,
        .log_full = stream->log.full,
        .filter_low = stream->filter.bits[0],
    };
    return write_text(stream, text, posix_meta_put_state(text, &state));
}

int posix_log_end(posix_stream_t *stream)
{
    int result = flush_buffers(stream);
    int last = write_names(stream);
    last = last != 0 ? last : write_status(stream);
    last = last != 0 ? last : write_state(stream);
    last = last != 0 ? last : posix_tape_write_end(stream->log.file, &stream->log.bytes);
    stream->log.exists = false;
    posix_port_file_close(stream->log.file);
    return result != 0 ? result : last;
}
