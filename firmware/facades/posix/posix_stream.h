/*
 * posix_stream.h - interface between the sources of POSIX Trace.
 *
 * A stream of POSIX Trace is a stream of the recorder. The façade stores only what the standard
 * adds: attributes, the filter as it was set (the recorder's routes select the records), the
 * position of the reader, and the log.
 */
#ifndef POSIX_STREAM_H
#define POSIX_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "posix_port.h"
#include "tickertape/config.h"
#include "tickertape/read.h"
#include "tickertape/stream.h"
#include "trace.h"

/* Largest number of logs open for reading at a time, 1-32. */
#ifndef TT_POSIX_OPEN_LOGS
#define TT_POSIX_OPEN_LOGS 2
#endif

/* Number of records of other events that a reader keeps when an event continues in the next
 * buffer. */
#ifndef TT_POSIX_ASIDE_RECORDS
#define TT_POSIX_ASIDE_RECORDS 16
#endif

#define POSIX_STREAMS TT_CONFIG_STREAMS
#define POSIX_EVENTS  64u /* event types: 0-31 system, 32-63 user */
#define POSIX_TASKS   64u /* tasks whose priority the reader follows */
#define POSIX_CONDS   16u /* conditions whose mutex the reader follows */
#define POSIX_CPUS    8u  /* CPUs whose running task the reader follows */

#define POSIX_FIRST_USER POSIX_TRACE_UNNAMED_USEREVENT

/* Bytes before the data of a user event, by origin. */
#define POSIX_TASK_ORIGIN_BYTES 8u
#define POSIX_HOST_ORIGIN_BYTES 24u

/* Events found in records. --------------------------------------------------------------------- */

typedef struct posix_found {
    trace_event_id_t id;
    uint64_t ticks;
    uint64_t thread;
    uint64_t address;
    uint32_t pid;
    bool cut; /* its data were cut when it was recorded */
    size_t data_bytes;
} posix_found_t;

/* Destination of an event's data: `room` bytes at `to`. `needed` counts all bytes, also those that
 * do not fit. */
typedef struct posix_data {
    uint8_t *to;
    size_t room;
    size_t needed;
} posix_data_t;

/* A buffer of records, from a ring or a log. */
typedef struct posix_buffer {
    const tt_record_t *records;
    uint32_t count;
    uint64_t ticks;
    bool overflow;       /* events before the buffer are missing */
    uint64_t lost_ticks; /* approximate time of the first missing event */
} posix_buffer_t;

/* Function that provides the next buffer and ends the use of the previous one. Returns false when
 * there is none. */
typedef bool (*posix_next_t)(void *context, posix_buffer_t *buffer);

/* State of a reader, which assembles events from records. */
typedef struct posix_reader {
    posix_next_t next;
    void *context;
    posix_buffer_t buffer;
    uint32_t index; /* index of the next record in `buffer` */
    uint64_t ticks; /* time of the last record */
    /* Records of earlier buffers, from `aside_begin` on; they are read before those of `buffer`. */
    tt_record_t aside[TT_POSIX_ASIDE_RECORDS];
    uint32_t aside_begin;
    uint32_t aside_end;
    bool begins_buffer;    /* the next record is the first one of its buffer */
    bool overflow_pending; /* POSIX_TRACE_OVERFLOW is to be reported */
    bool resume_pending;   /* POSIX_TRACE_RESUME is to be reported */
    bool lost_event;       /* an event was lost because its records lie too far apart ... */
    uint64_t lost_event_ticks;
    bool within;                     /* the reader is inside an event, whose other records follow */
    uint32_t running[POSIX_CPUS];    /* running task of each CPU */
    uint32_t running_known;          /* CPUs whose running task is known, one bit each */
    uint32_t cpu;                    /* CPU of the current record */
    uint32_t task_count;             /* number of tasks with a known priority */
    uint32_t tasks[POSIX_TASKS];     /* their numbers */
    int16_t priorities[POSIX_TASKS]; /* their priorities */
    uint32_t cond_count;             /* number of conditions with a known mutex */
    uint32_t conds[POSIX_CONDS];     /* their addresses */
    uint32_t mutexes[POSIX_CONDS];   /* addresses of their mutexes */
} posix_reader_t;

void posix_reader_init(posix_reader_t *reader, posix_next_t next, void *context);

/* Read the next event that passes the filter. Returns false when there is none. */
bool posix_reader_read(posix_reader_t *reader, const trace_event_set_t *filter,
                       posix_found_t *found, posix_data_t *data);

/* Append bytes to the data of an event. */
void posix_data_add(posix_data_t *data, const void *bytes, size_t count);

/* system.c: translate a kernel event. Returns false when POSIX Trace has no such event. */
bool posix_translate(posix_reader_t *reader, const tt_record_t *record, posix_found_t *found,
                     posix_data_t *data);

/* system.c: select the system events that are not in the filter, and the kernel events that the
 * reader needs for them. */
void posix_select_system(uint32_t stream, const trace_event_set_t *filter);

/* Streams. ------------------------------------------------------------------------------------- */

typedef struct posix_log {
    bool exists;
    int file;
    uint64_t bytes; /* bytes written */
    uint64_t first; /* bytes before the records */
    uint64_t records;
    int flush_error;
    bool flushing;
    bool full;
    bool overrun;
} posix_log_t;

typedef struct posix_stream {
    uint64_t created_ticks;
    uint64_t losses_reported;      /* lost records of the ring at the last status */
    uint64_t losses_reported_host; /* the same for a host */
    posix_log_t log;
    tt_reading_t reading; /* the buffer that the reader has taken */
    trace_attr_t attr;
    posix_reader_t reader;
    uint32_t generation;
    pid_t owner;
    uint32_t list_position;
    trace_event_set_t filter;
    bool used;
    bool started; /* by posix_trace_start() */
    bool taken;   /* the reader has a buffer */
} posix_stream_t;

/* State that every call of posix_trace_event() reads. Masks have one bit for each stream. */
typedef struct posix_limits {
    _Atomic uint32_t max_data_bytes[POSIX_STREAMS];
    _Atomic uint32_t narrow;      /* streams that cut data of four bytes */
    _Atomic uint32_t limited;     /* started streams that stop when they are full */
    _Atomic uint32_t refused;     /* of those, streams that refused an event when they were full */
    _Atomic uint32_t recording;   /* events that have begun and not ended */
    _Atomic uint32_t waiting;     /* streams with waiting readers */
    _Atomic uint32_t needs_flush; /* streams with a log to be flushed soon */
} posix_limits_t;

extern posix_stream_t posix_streams[POSIX_STREAMS];
extern posix_limits_t posix_limits;

/* Return the active stream of the caller with this identifier; NULL when there is none. Under
 * posix_port_lock(). */
posix_stream_t *posix_stream_of(trace_id_t trid);
uint32_t posix_stream_number(const posix_stream_t *stream);

/* stream.c */
bool posix_stream_is_running(const posix_stream_t *stream);
bool posix_stream_is_full(const posix_stream_t *stream);
uint64_t posix_stream_losses(const posix_stream_t *stream);
void posix_stream_release(posix_stream_t *stream);
void posix_stream_restart(posix_stream_t *stream);
void posix_stream_restart_drained(posix_stream_t *stream);

/* stream.c: return whether an event type is not filtered out. */
bool posix_takes(const posix_stream_t *stream, trace_event_id_t event);

/* stream.c: record a predefined event with up to six words in one stream, unless it is filtered
 * out. */
void posix_record(const posix_stream_t *stream, trace_event_id_t event, const uint32_t *words,
                  uint32_t word_count);

/* control.c: record POSIX_TRACE_ERROR with an error number, in one stream, in the streams of a
 * mask, or in all that trace the caller, if they run. The streams must not be created or shut down
 * meanwhile: call it under posix_port_lock() or for streams that trace the caller. */
void posix_record_error(const posix_stream_t *stream, int error);
void posix_record_errors_in(uint32_t streams, int error);
void posix_record_errors(int error);

/* types.c */
void posix_types_begin(void);
const char *posix_system_name(trace_event_id_t event); /* NULL: there is none */
const char *posix_type_name(trace_event_id_t event);

static inline bool posix_is_member(const trace_event_set_t *set, trace_event_id_t event)
{
    return ((set->bits[(uint32_t)event / 32u] >> ((uint32_t)event % 32u)) & 1u) != 0u;
}

/* answer.c: attributes of published streams, for hosts. */
void posix_answer_begin(void);

/* attr.c */
bool posix_attr_is_valid(const trace_attr_t *attr);
size_t posix_stream_size_max(void);

/* log.c */
int posix_log_begin(posix_stream_t *stream, int file);
int posix_log_flush(posix_stream_t *stream);
int posix_log_clear(posix_stream_t *stream);
int posix_log_end(posix_stream_t *stream);

/* Open logs. ----------------------------------------------------------------------------------- */

typedef struct posix_tape posix_tape_t;

/* Return the open log of the caller with this identifier; NULL when there is none. */
posix_tape_t *posix_tape_of(trace_id_t trid);

/* Read the next event of a log; returns false at its end. Convert a 64-bit time of a log to
 * CLOCK_REALTIME. */
bool posix_tape_read(posix_tape_t *tape, posix_found_t *found, posix_data_t *data);
void posix_tape_time(const posix_tape_t *tape, uint64_t ticks, struct timespec *time);

const char *posix_tape_type_name(const posix_tape_t *tape, trace_event_id_t event);
void posix_tape_get_attr(const posix_tape_t *tape, trace_attr_t *attr);
void posix_tape_get_status(const posix_tape_t *tape, struct posix_trace_status_info *status);
uint32_t *posix_tape_list_position(posix_tape_t *tape);

/* Streams of a target, in a Linux process. ----------------------------------------------------- */

typedef struct posix_remote posix_remote_t;

/* Functions for streams of a target. Those with parameter `remote`, except `read`, may be called
 * under posix_port_lock(). */
typedef struct posix_remotes {
    /* Attach to the stream that a target publishes under the name in `attr`. Returns ENOENT if
     * there is none. */
    int (*create)(const trace_attr_t *attr, trace_id_t *trid);
    posix_remote_t *(*find)(trace_id_t trid); /* NULL when there is none */
    void (*shutdown)(posix_remote_t *remote);
    int (*get_attr)(posix_remote_t *remote, trace_attr_t *attr);
    int (*get_status)(posix_remote_t *remote, struct posix_trace_status_info *status);
    bool (*type_name)(posix_remote_t *remote, trace_event_id_t event, char name[TRACE_NAME_MAX]);
    uint32_t *(*list_position)(posix_remote_t *remote);

    /* Read the next event and its time. Returns 0, ETIMEDOUT when no event is available before
     * `until` (time 0: do not wait; NULL: no limit), EINTR, or EINVAL when the stream has ended. */
    int (*read)(posix_remote_t *remote, const struct timespec *until, posix_found_t *found,
                posix_data_t *data, struct timespec *time);

    /* Get the event type of a name in the target; ENOENT without a target. Emit an event in the
     * target. */
    int (*eventid_open)(const char *name, trace_event_id_t *event);
    void (*event)(trace_event_id_t event, const void *address, const void *data, size_t bytes);
} posix_remotes_t;

/* Defined by the port; NULL in a firmware, which does not read other targets. */
extern const posix_remotes_t *const posix_remotes;

static inline posix_remote_t *posix_remote_of(trace_id_t trid)
{
    return posix_remotes == NULL ? NULL : posix_remotes->find(trid);
}

static inline void posix_remote_event(trace_event_id_t event, const void *address, const void *data,
                                      size_t bytes)
{
    if (posix_remotes != NULL) {
        posix_remotes->event(event, address, data, bytes);
    }
}

/* Identifiers: generation << 8 | kind | number. */
#define POSIX_TRID_LOG  0x40u
#define POSIX_TRID_HOST 0x80u /* a stream of a target, in a Linux process */

static inline trace_id_t posix_trid(uint32_t generation, uint32_t kind, uint32_t number)
{
    return (trace_id_t)((generation & 0x3fffffu) << 8 | kind | (number + 1u));
}

/* Return how often the stream was named; 0 without TT_CONFIG_STREAM_NAMES. */
static inline uint32_t posix_stream_generation(uint32_t number)
{
#if TT_CONFIG_STREAM_NAMES
    return tt_stream_generation(number);
#else
    (void)number;
    return 0;
#endif
}

/* Return whether a host is attached to the stream, so that the drain sends it. */
static inline bool posix_stream_attached(uint32_t number)
{
#if TT_CONFIG_STREAM_NAMES
    return tt_stream_attached(number);
#else
    (void)number;
    return false;
#endif
}

#endif
