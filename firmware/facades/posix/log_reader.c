/*
 * Reads logs. On a tape from another tool it reads only the first ring: the records of one stream
 * on one CPU.
 */
#include <errno.h>
#include <string.h>

#include "log_meta.h"
#include "posix_stream.h"
#include "posix_time.h"
#include "tape.h"
#include "tickertape/crc.h"
#include "tickertape/events.h"

#define CACHE_RECORDS 32u
#define NO_RING       0xffffffffu

struct posix_tape {
    uint64_t bytes;
    /* Description of the tape. */
    uint64_t anchor_ticks;
    uint64_t anchor_ns;
    /* Position of the reader. */
    uint64_t next_chunk;
    uint64_t next_header; /* of the next buffer in the chunk */
    uint64_t next_record; /* of the next record in the chunk */
    uint64_t chunk_end;   /* end of the chunk's body */
    uint64_t next_ordinal;
    trace_attr_t attr;
    posix_reader_t reader;
    uint32_t generation;
    pid_t owner;
    int file;
    uint32_t tick_hz;
    uint32_t list_position;
    uint32_t headers_left; /* buffers of the chunk not read yet */
    uint32_t records_left; /* records of the buffer not read yet */
    uint32_t ring;         /* stream << 8 | cpu, or NO_RING */
    /* Hides context switches, which are also recorded when other events need them. */
    trace_event_set_t filter;
    struct posix_trace_status_info status;
    tt_record_t cache[CACHE_RECORDS];
    bool used;
    bool begun;
    bool damaged;       /* a chunk of records was skipped since the last buffer */
    bool stop_reported; /* the final STOP of a full log was reported */
    char names[TRACE_USER_EVENT_MAX][TRACE_EVENT_NAME_MAX + 1];
};

static posix_tape_t tapes[TT_POSIX_OPEN_LOGS];

posix_tape_t *posix_tape_of(trace_id_t trid)
{
    for (uint32_t i = 0; i < TT_POSIX_OPEN_LOGS; i++) {
        if (tapes[i].used && posix_trid(tapes[i].generation, POSIX_TRID_LOG, i) == trid &&
            tapes[i].owner == posix_port_pid()) {
            return &tapes[i];
        }
    }
    return NULL;
}

/* Contents of the tape. --------------------------------------------------------------------------
 * */

static void take_meta(posix_tape_t *tape, const char *text)
{
    posix_log_state_t state = {
        .overrun = tape->status.posix_stream_overrun_status,
        .flush_error = tape->status.posix_stream_flush_error,
        .log_overrun = tape->status.posix_log_overrun_status,
        .log_full = tape->status.posix_log_full_status,
        .filter_low = tape->filter.bits[0],
    };
    posix_meta_get(text, &tape->attr, &state);
    tape->status.posix_stream_overrun_status = state.overrun;
    tape->status.posix_stream_flush_error = state.flush_error;
    tape->status.posix_log_overrun_status = state.log_overrun;
    tape->status.posix_log_full_status = state.log_full;
    tape->filter.bits[0] = state.filter_low;
}

static void take_name(posix_tape_t *tape, const uint8_t *body, uint32_t bytes)
{
    tt_wire_name_t name;
    memcpy(&name, body, sizeof name);
    uint32_t user = name.id & TT_RECORD_EVENT_MASK;
    if (name.kind != TT_OBJECT_KIND_EVENT || name.id >> 10 != TT_CLASS_USER ||
        user >= TRACE_USER_EVENT_MAX) {
        return;
    }
    uint32_t count = bytes - (uint32_t)sizeof name;
    count = count < TRACE_EVENT_NAME_MAX ? count : TRACE_EVENT_NAME_MAX;
    memcpy(tape->names[user], body + sizeof name, count);
    tape->names[user][count] = '\0';
}

/* Return whether the body of a chunk is read when the tape is opened. */
static bool is_description(const tt_wire_chunk_header_t *header)
{
    return header->body_bytes < POSIX_META_BYTES &&
           (header->type == TT_CHUNK_TYPE_META ||
            (header->type == TT_CHUNK_TYPE_HELLO &&
             header->body_bytes >= sizeof(tt_wire_hello_t)) ||
            (header->type == TT_CHUNK_TYPE_ANCHOR &&
             header->body_bytes >= sizeof(tt_wire_anchor_t)) ||
            (header->type == TT_CHUNK_TYPE_NAME && header->body_bytes >= sizeof(tt_wire_name_t)));
}

static void take_description(posix_tape_t *tape, const tt_wire_chunk_header_t *header,
                             const uint8_t *body)
{
    tt_wire_hello_t hello;
    tt_wire_anchor_t anchor;
    switch (header->type) {
    case TT_CHUNK_TYPE_META:
        take_meta(tape, (const char *)body);
        break;
    case TT_CHUNK_TYPE_HELLO:
        memcpy(&hello, body, sizeof hello);
        tape->tick_hz = hello.tick_hz == 0u ? 1u : hello.tick_hz;
        break;
    case TT_CHUNK_TYPE_ANCHOR:
        if (tape->anchor_ns == 0u) {
            memcpy(&anchor, body, sizeof anchor);
            tape->anchor_ticks = anchor.target_ticks;
            tape->anchor_ns = anchor.host_ns;
        }
        break;
    default:
        take_name(tape, body, header->body_bytes);
        break;
    }
}

/* Read the description of the tape. Returns EINVAL when the tape is damaged or was not closed. */
static int read_description(posix_tape_t *tape)
{
    uint64_t offset = sizeof(tt_wire_tape_header_t);
    tt_wire_chunk_header_t header = {.type = 0};
    while (offset < tape->bytes) {
        uint8_t body[POSIX_META_BYTES] = {0};
        if (posix_chunk_read(tape->file, offset, &header) != 0) {
            return EINVAL;
        }
        if (is_description(&header)) {
            if (posix_port_file_read(tape->file, offset + sizeof header, body, header.body_bytes) !=
                    0 ||
                tt_crc32(body, header.body_bytes) != header.body_crc) {
                return EINVAL;
            }
            take_description(tape, &header, body);
        }
        offset = posix_chunk_end(offset, header.body_bytes);
    }
    return header.type == TT_CHUNK_TYPE_END && offset == tape->bytes ? 0 : EINVAL;
}

/* Records. ------------------------------------------------------------------------------------- */

/* Return whether the body of a chunk matches its CRC. Overwrites the cache. */
static bool is_sound(posix_tape_t *tape, uint64_t body, const tt_wire_chunk_header_t *header)
{
    uint32_t crc = TT_CRC32_START;
    uint32_t left = header->body_bytes;
    while (left > 0u) {
        uint32_t count = left < sizeof tape->cache ? left : (uint32_t)sizeof tape->cache;
        if (posix_port_file_read(tape->file, body, tape->cache, count) != 0) {
            return false;
        }
        crc = tt_crc32_update(crc, (const uint8_t *)tape->cache, count);
        body += count;
        left -= count;
    }
    return ~crc == header->body_crc;
}

/* Skip the rest of a chunk: the next buffer reports an overflow, and so does the status of the log,
 * because no buffer may follow. */
static void leave_out(posix_tape_t *tape)
{
    tape->headers_left = 0;
    tape->damaged = true;
    tape->status.posix_stream_overrun_status = POSIX_TRACE_OVERRUN;
}

/* Find the next chunk of the ring; skips damaged ones. Returns false at the end of the tape. */
static bool next_chunk(posix_tape_t *tape)
{
    tt_wire_chunk_header_t header;
    while (tape->next_chunk < tape->bytes &&
           posix_chunk_read(tape->file, tape->next_chunk, &header) == 0) {
        uint64_t body = tape->next_chunk + sizeof header;
        uint32_t ring = (uint32_t)header.stream << 8 | header.cpu;
        tape->next_chunk = posix_chunk_end(tape->next_chunk, header.body_bytes);
        if (header.type != TT_CHUNK_TYPE_RECORDS || (tape->ring != NO_RING && tape->ring != ring)) {
            continue;
        }
        tape->ring = ring;
        if (!is_sound(tape, body, &header)) {
            leave_out(tape);
            continue;
        }
        uint64_t headers = (uint64_t)header.buffer_count * sizeof(tt_wire_buffer_header_t);
        tape->headers_left = header.buffer_count;
        tape->next_header = body;
        tape->next_record =
            body + (headers + POSIX_CHUNK_ALIGN - 1u) / POSIX_CHUNK_ALIGN * POSIX_CHUNK_ALIGN;
        tape->chunk_end = body + header.body_bytes;
        return true;
    }
    return false;
}

/* Read the next buffer header of the chunk. Returns false when it cannot be read, or its records
 * lie outside the chunk. */
static bool read_header(posix_tape_t *tape, tt_wire_buffer_header_t *header)
{
    if (posix_port_file_read(tape->file, tape->next_header, header, sizeof *header) != 0) {
        return false;
    }
    tape->next_header += sizeof *header;
    tape->headers_left--;
    return tape->next_record + (uint64_t)header->count * sizeof(tt_record_t) <= tape->chunk_end;
}

/* Begin the next buffer; skips buffers that repeat earlier records. Returns false at the end of the
 * tape. */
static bool begin_buffer(posix_tape_t *tape, posix_buffer_t *buffer)
{
    tt_wire_buffer_header_t header;
    for (;;) {
        while (tape->headers_left == 0u) {
            if (!next_chunk(tape)) {
                return false;
            }
        }
        if (!read_header(tape, &header)) {
            leave_out(tape);
            continue;
        }
        if (tape->begun && header.first_ordinal < tape->next_ordinal) {
            tape->next_record += (uint64_t)header.count * sizeof(tt_record_t);
            continue;
        }
        buffer->overflow =
            tape->damaged || (tape->begun && header.first_ordinal != tape->next_ordinal);
        buffer->lost_ticks = tape->reader.ticks;
        buffer->ticks = header.ticks;
        tape->begun = true;
        tape->damaged = false;
        tape->next_ordinal = header.first_ordinal + header.count;
        tape->records_left = header.count;
        return true;
    }
}

/* Read the next records of the tape into the cache (posix_next_t). */
static bool next_records(void *context, posix_buffer_t *buffer)
{
    posix_tape_t *tape = context;
    buffer->overflow = false;
    buffer->ticks = tape->reader.ticks;
    while (tape->records_left == 0u) {
        if (!begin_buffer(tape, buffer)) {
            return false;
        }
    }
    uint32_t count = tape->records_left < CACHE_RECORDS ? tape->records_left : CACHE_RECORDS;
    size_t bytes = count * sizeof tape->cache[0];
    if (posix_port_file_read(tape->file, tape->next_record, tape->cache, bytes) != 0) {
        return false;
    }
    tape->next_record += bytes;
    tape->records_left -= count;
    buffer->records = tape->cache;
    buffer->count = count;
    return true;
}

static void begin(posix_tape_t *tape)
{
    posix_reader_init(&tape->reader, next_records, tape);
    tape->next_chunk = sizeof(tt_wire_tape_header_t);
    tape->headers_left = 0;
    tape->records_left = 0;
    tape->ring = NO_RING;
    tape->next_ordinal = 0;
    tape->begun = false;
    tape->damaged = false;
    tape->stop_reported = false;
}

/* The functions. ------------------------------------------------------------------------------- */

static int check_header(posix_tape_t *tape)
{
    tt_wire_tape_header_t header;
    if (posix_port_file_read(tape->file, 0, &header, sizeof header) != 0 ||
        memcmp(header.magic, posix_tape_magic, sizeof header.magic) != 0 || header.major != 1u ||
        header.byte_order != TT_BYTE_ORDER_LITTLE ||
        header.crc != tt_crc32((const uint8_t *)&header, offsetof(tt_wire_tape_header_t, crc))) {
        return EINVAL;
    }
    return posix_port_file_size(tape->file, &tape->bytes) == 0 ? 0 : EINVAL;
}

static int open_tape(posix_tape_t *tape, int file)
{
    *tape = (posix_tape_t){
        .generation = tape->generation + 1u, .owner = posix_port_pid(), .file = file, .tick_hz = 1};
    (void)posix_trace_attr_init(&tape->attr);
    int result = check_header(tape);
    result = result != 0 ? result : read_description(tape);
    begin(tape);
    tape->used = result == 0;
    return result;
}

int posix_trace_open(int file_desc, trace_id_t *trid)
{
    int result = trid == NULL ? EINVAL : EAGAIN;
    posix_port_lock();
    for (uint32_t i = 0; i < TT_POSIX_OPEN_LOGS && result == EAGAIN; i++) {
        bool is_free = !tapes[i].used || !posix_port_lives(tapes[i].owner);
        if (is_free) {
            result = open_tape(&tapes[i], file_desc);
        }
        if (is_free && result == 0) {
            *trid = posix_trid(tapes[i].generation, POSIX_TRID_LOG, i);
        }
    }
    posix_port_unlock();
    return result;
}

int posix_trace_close(trace_id_t trid)
{
    posix_port_lock();
    posix_tape_t *tape = posix_tape_of(trid);
    if (tape != NULL) {
        tape->used = false;
    }
    posix_port_unlock();
    return tape == NULL ? EINVAL : 0;
}

int posix_trace_rewind(trace_id_t trid)
{
    posix_port_lock();
    posix_tape_t *tape = posix_tape_of(trid);
    if (tape != NULL) {
        begin(tape);
    }
    posix_port_unlock();
    return tape == NULL ? EINVAL : 0;
}

bool posix_tape_read(posix_tape_t *tape, posix_found_t *found, posix_data_t *data)
{
    /* Hide only context switches, which are recorded even when filtered out. Other records passed
     * the filter when they were recorded. */
    const trace_event_set_t hidden = {{tape->filter.bits[0] & 1u << POSIX_TRACE_CONTEXT_SWITCH, 0}};
    if (posix_reader_read(&tape->reader, &hidden, found, data)) {
        return true;
    }
    /* The last event of a log that was full is STOP. */
    bool was_full = tape->attr.log_full_policy == POSIX_TRACE_UNTIL_FULL &&
                    tape->status.posix_log_full_status == POSIX_TRACE_FULL;
    if (!was_full || tape->stop_reported) {
        return false;
    }
    const int automatic = 1;
    tape->stop_reported = true;
    data->needed = 0;
    posix_data_add(data, &automatic, sizeof automatic);
    *found = (posix_found_t){
        .id = POSIX_TRACE_STOP, .ticks = tape->reader.ticks, .data_bytes = sizeof automatic};
    return true;
}

void posix_tape_time(const posix_tape_t *tape, uint64_t ticks, struct timespec *time)
{
    uint64_t since = ticks - tape->anchor_ticks;
    const struct timespec span = posix_time_of_ticks(since, tape->tick_hz);
    *time = posix_time_of_ns(tape->anchor_ns + posix_ns_of_time(&span));
}

const char *posix_tape_type_name(const posix_tape_t *tape, trace_event_id_t event)
{
    uint32_t user = (uint32_t)event - POSIX_FIRST_USER;
    if (user < TRACE_USER_EVENT_MAX) {
        return tape->names[user][0] == '\0' ? NULL : tape->names[user];
    }
    return posix_system_name(event);
}

void posix_tape_get_attr(const posix_tape_t *tape, trace_attr_t *attr)
{
    *attr = tape->attr;
}

/* A log is complete, so its status does not change. */
void posix_tape_get_status(const posix_tape_t *tape, struct posix_trace_status_info *status)
{
    *status = tape->status;
}

uint32_t *posix_tape_list_position(posix_tape_t *tape)
{
    return &tape->list_position;
}
