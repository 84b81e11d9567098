/*
 * Assembles events from records. Records of interrupts and other threads may lie between the
 * records of a user event: the reader scans over them. If the buffer ends before the event, the
 * reader stores them in `aside` and reads them after the event. If there are more than
 * TT_POSIX_ASIDE_RECORDS, the event is lost and reported as an overflow. Other combine events
 * (names of the state dump) do not exist in POSIX Trace: the reader skips their records, and the
 * remaining records of an event that it has read.
 */
#include <string.h>

#include "posix_stream.h"
#include "tickertape/events.h"
#include "tickertape/wire.h"

#define PAIR_BYTES      8u
#define HALF_PAIR_BYTES 4u

void posix_reader_init(posix_reader_t *reader, posix_next_t next, void *context)
{
    *reader = (posix_reader_t){.next = next, .context = context};
}

void posix_data_add(posix_data_t *data, const void *bytes, size_t count)
{
    size_t room = data->needed < data->room ? data->room - data->needed : 0u;
    if (room > 0u && count > 0u) {
        memcpy(data->to + data->needed, bytes, count < room ? count : room);
    }
    data->needed += count;
}

/* Fetch buffers until one has unread records. Returns false when there is none. */
static bool fetch(posix_reader_t *reader)
{
    while (reader->index == reader->buffer.count) {
        reader->index = 0;
        reader->buffer.count = 0;
        if (!reader->next(reader->context, &reader->buffer)) {
            return false;
        }
        reader->begins_buffer = true;
        if (reader->buffer.overflow) {
            reader->overflow_pending = true;
            reader->resume_pending = true;
            reader->running_known = 0;
            reader->cond_count = 0; /* their mutexes may have changed meanwhile */
        }
    }
    return true;
}

static uint32_t aside_count(const posix_reader_t *reader)
{
    return reader->aside_end - reader->aside_begin;
}

/* Return the next record without consuming it; NULL when there is none. */
static const tt_record_t *peek(posix_reader_t *reader)
{
    if (aside_count(reader) > 0u) {
        return &reader->aside[reader->aside_begin];
    }
    if (!fetch(reader)) {
        return NULL;
    }
    if (reader->begins_buffer) {
        reader->begins_buffer = false;
        reader->ticks = reader->buffer.ticks;
    }
    return &reader->buffer.records[reader->index];
}

/* Consume the record that peek() returned. */
static void pass(posix_reader_t *reader)
{
    if (aside_count(reader) > 0u) {
        reader->aside_begin++;
    } else {
        reader->index++;
    }
}

/* The bytes of a combine event, in order: its origin, then its data. */
typedef struct payload {
    uint8_t origin[POSIX_HOST_ORIGIN_BYTES];
    size_t origin_bytes;
    size_t bytes; /* bytes so far */
    posix_data_t *data;
} payload_t;

static void payload_add(payload_t *payload, const void *bytes, size_t count)
{
    const uint8_t *from = bytes;
    while (count > 0u && payload->bytes < payload->origin_bytes) {
        payload->origin[payload->bytes++] = *from++;
        count--;
    }
    payload->bytes += count;
    posix_data_add(payload->data, from, count);
}

/* Return whether a record is a CONTINUE or END of the event of `begin`. */
static bool continues(const tt_record_t *record, const tt_record_t *begin)
{
    bool keyed = (begin->header & TT_RECORD_KEYED_MASK) != 0u;
    uint32_t kind = tt_record_struct(record->header);
    return (kind == TT_RECORD_CONTINUE || kind == TT_RECORD_END) &&
           record->time == (keyed ? begin->data[0] : begin->time) &&
           ((record->header ^ begin->header) & ~TT_RECORD_STRUCT_MASK) == 0u;
}

/* Store the remaining records of other events in `aside`, and fetch the next buffer. Returns false
 * when they do not fit, when there is no buffer, or when records before it are missing. */
static bool set_aside(posix_reader_t *reader, const tt_record_t *begin)
{
    if (reader->overflow_pending) {
        return false;
    }
    uint32_t kept = aside_count(reader);
    memmove(reader->aside, &reader->aside[reader->aside_begin], kept * sizeof reader->aside[0]);
    reader->aside_begin = 0;
    reader->aside_end = kept;
    while (reader->index < reader->buffer.count) {
        const tt_record_t *record = &reader->buffer.records[reader->index];
        if (!continues(record, begin)) {
            if (reader->aside_end == TT_POSIX_ASIDE_RECORDS) {
                reader->lost_event = true;
                reader->lost_event_ticks = reader->ticks;
                return false;
            }
            reader->aside[reader->aside_end++] = *record;
        }
        reader->index++;
    }
    return fetch(reader) && !reader->overflow_pending;
}

/* Return the next record of the event of `begin`, searched from place *ahead on, counted from the
 * next record; NULL when there is none. */
static const tt_record_t *look_ahead(posix_reader_t *reader, const tt_record_t *begin,
                                     uint32_t *ahead)
{
    for (;;) {
        uint32_t kept = aside_count(reader);
        /* After an overflow, the gap lies between the records aside and those of the buffer. */
        uint32_t left = reader->overflow_pending ? 0u : reader->buffer.count - reader->index;
        for (; *ahead < kept + left; (*ahead)++) {
            const tt_record_t *record =
                *ahead < kept ? &reader->aside[reader->aside_begin + *ahead]
                              : &reader->buffer.records[reader->index + *ahead - kept];
            if (continues(record, begin)) {
                (*ahead)++;
                return record;
            }
        }
        if (!set_aside(reader, begin)) {
            return NULL;
        }
        *ahead = aside_count(reader);
    }
}

/*
 * Read the payload of the event whose BEGIN is the next record. END contains the length, so the
 * words of a record are added when the next record is found. Returns false when END is missing.
 */
static bool assemble_rest(posix_reader_t *reader, payload_t *payload)
{
    const tt_record_t begin = *peek(reader);
    const tt_record_t *record;
    uint32_t ahead = 0;
    uint8_t last[PAIR_BYTES];
    size_t last_bytes = (begin.header & TT_RECORD_KEYED_MASK) != 0u ? 0u : sizeof last;
    memcpy(last, begin.data, sizeof last);
    pass(reader);
    for (;;) {
        record = look_ahead(reader, &begin, &ahead);
        if (record == NULL) {
            return false;
        }
        if (tt_record_struct(record->header) == TT_RECORD_END) {
            break;
        }
        payload_add(payload, last, last_bytes);
        memcpy(last, record->data, sizeof last);
        last_bytes = sizeof last;
    }
    size_t total = record->data[1];
    size_t rest = total > payload->bytes ? total - payload->bytes : 0u;
    payload_add(payload, last, rest < PAIR_BYTES ? rest : PAIR_BYTES);
    rest = rest > PAIR_BYTES ? rest - PAIR_BYTES : 0u;
    payload_add(payload, record->data, rest < HALF_PAIR_BYTES ? rest : HALF_PAIR_BYTES);
    return true;
}

static bool assemble(posix_reader_t *reader, payload_t *payload)
{
    reader->within = true;
    bool is_whole = assemble_rest(reader, payload);
    reader->within = false;
    return is_whole;
}

static uint64_t read_u64(const uint8_t *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint32_t read_u32(const uint8_t *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static void read_origin(const payload_t *payload, uint32_t header, posix_found_t *found)
{
    const uint8_t *origin = payload->origin;
    if (payload->origin_bytes == POSIX_HOST_ORIGIN_BYTES) {
        found->pid = read_u32(origin);
        found->thread = read_u64(origin + 8);
        found->address = read_u64(origin + 16);
    } else {
        /* The core is process 1, domain 1 process 2, and so on: 0 is not a process. */
        found->pid = 1u + ((header & TT_RECORD_DOMAIN_MASK) >> TT_RECORD_DOMAIN_FIRST_BIT);
        found->thread = read_u32(origin);
        found->address = read_u32(origin + 4);
    }
}

static bool read_user(posix_reader_t *reader, posix_found_t *found, posix_data_t *data)
{
    const uint32_t header = peek(reader)->header;
    bool is_host = (header & TT_RECORD_HOST_MASK) != 0u;
    payload_t payload = {
        .origin_bytes = is_host ? POSIX_HOST_ORIGIN_BYTES : POSIX_TASK_ORIGIN_BYTES, .data = data};
    uint32_t user = tt_record_event(header);
    if (!assemble(reader, &payload) || user >= TRACE_USER_EVENT_MAX ||
        payload.bytes < payload.origin_bytes) {
        return false;
    }
    read_origin(&payload, header, found);
    found->id = (trace_event_id_t)(POSIX_FIRST_USER + user);
    found->cut = (header & TT_RECORD_TRUNCATED_MASK) != 0u;
    return true;
}

static const trace_event_id_t tracer_events[] = {
    [TT_TRACER_START] = POSIX_TRACE_START,
    [TT_TRACER_STOP] = POSIX_TRACE_STOP,
    [TT_TRACER_FILTER] = POSIX_TRACE_FILTER,
    [TT_TRACER_FLUSH_START] = POSIX_TRACE_FLUSH_START,
    [TT_TRACER_FLUSH_STOP] = POSIX_TRACE_FLUSH_STOP,
    [TT_TRACER_ERROR] = POSIX_TRACE_ERROR,
};

static trace_event_id_t tracer_event(const tt_record_t *record)
{
    uint32_t event = tt_record_event(record->header);
    return event < sizeof tracer_events / sizeof tracer_events[0] ? tracer_events[event] : 0;
}

/* Read START or FILTER, whose event sets follow two words. */
static bool read_sets(posix_reader_t *reader, posix_found_t *found, posix_data_t *data)
{
    payload_t payload = {.origin_bytes = POSIX_TASK_ORIGIN_BYTES, .data = data};
    found->id = tracer_event(peek(reader));
    return assemble(reader, &payload) && found->id != 0;
}

static bool read_tracer(const tt_record_t *record, posix_found_t *found, posix_data_t *data)
{
    found->id = tracer_event(record);
    if (found->id == POSIX_TRACE_STOP || found->id == POSIX_TRACE_ERROR) {
        const int number = (int)record->data[found->id == POSIX_TRACE_STOP ? 1 : 0];
        posix_data_add(data, &number, sizeof number);
    }
    return found->id == POSIX_TRACE_STOP || found->id == POSIX_TRACE_ERROR ||
           found->id == POSIX_TRACE_FLUSH_START || found->id == POSIX_TRACE_FLUSH_STOP;
}

/* Consume the next record or event. Returns false when POSIX Trace has no such event. */
static bool read_record(posix_reader_t *reader, const tt_record_t *record, posix_found_t *found,
                        posix_data_t *data)
{
    uint32_t event_class = tt_record_class(record->header);
    if (tt_record_struct(record->header) == TT_RECORD_BEGIN && event_class == TT_CLASS_USER) {
        return read_user(reader, found, data);
    }
    if (tt_record_struct(record->header) == TT_RECORD_BEGIN && event_class == TT_CLASS_TRACER) {
        return read_sets(reader, found, data);
    }
    pass(reader);
    if (tt_record_struct(record->header) != TT_RECORD_SIMPLE) {
        return false;
    }
    return event_class == TT_CLASS_TRACER ? read_tracer(record, found, data)
                                          : posix_translate(reader, record, found, data);
}

static bool report(bool *pending, trace_event_id_t event, uint64_t ticks,
                   const trace_event_set_t *filter, posix_found_t *found)
{
    bool reported = *pending && !posix_is_member(filter, event);
    *pending = false;
    if (reported) {
        *found = (posix_found_t){.id = event, .ticks = ticks};
    }
    return reported;
}

bool posix_reader_read(posix_reader_t *reader, const trace_event_set_t *filter,
                       posix_found_t *found, posix_data_t *data)
{
    for (;;) {
        const tt_record_t *record = peek(reader);
        if (record == NULL) {
            return false;
        }
        bool is_aside = aside_count(reader) > 0u; /* older than the missing records */
        if (reader->lost_event && !is_aside) {
            reader->buffer.lost_ticks = reader->lost_event_ticks;
            reader->lost_event = false;
            reader->overflow_pending = true;
            reader->resume_pending = true;
        }
        if (!is_aside && report(&reader->overflow_pending, POSIX_TRACE_OVERFLOW,
                                reader->buffer.lost_ticks, filter, found)) {
            return true;
        }
        uint32_t kind = tt_record_struct(record->header);
        if (kind == TT_RECORD_SIMPLE || kind == TT_RECORD_BEGIN) {
            reader->ticks = tt_extend_time(reader->ticks, record->time);
            /* A CONTINUE or END without its BEGIN is not an event. */
            if (!is_aside &&
                report(&reader->resume_pending, POSIX_TRACE_RESUME, reader->ticks, filter, found)) {
                return true;
            }
        }
        const uint64_t ticks = reader->ticks;
        *found = (posix_found_t){.ticks = ticks};
        data->needed = 0;
        /* Context switches are recorded even when filtered out: other events need them. */
        if (read_record(reader, record, found, data) &&
            (found->id != POSIX_TRACE_CONTEXT_SWITCH || !posix_is_member(filter, found->id))) {
            found->ticks = ticks;
            found->data_bytes = data->needed;
            return true;
        }
    }
}
