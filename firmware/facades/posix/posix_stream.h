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

/* Logs that are open for reading at a time, 1-32. */
#ifndef TT_POSIX_OPEN_LOGS
#define TT_POSIX_OPEN_LOGS 2
#endif

/* Records of others between two records of an event that a reader keeps at the end of a buffer. */
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
    bool cut; /* when it was recorded */
    size_t data_bytes;
} posix_found_t;

/* Destination of an event's data; `needed` also counts bytes that do not fit. */
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
    bool overflow;       /* events before it are missing, */
    uint64_t lost_ticks; /* the first of them was recorded about then */
} posix_buffer_t;

/* Gives the next buffer, ending the use of the one before. False when there is none. */
typedef bool (*posix_next_t)(void *context, posix_buffer_t *buffer);

/* Reads events out of records. */
typedef struct posix_reader {
    posix_next_t next;
    void *context;
    posix_buffer_t buffer;
    uint32_t index; /* of the next record, but for those set aside */
    uint64_t ticks; /* of the last one */
    /* Records of earlier buffers that are read before the next one, from `aside_begin` on. */
    tt_record_t aside[TT_POSIX_ASIDE_RECORDS];
    uint32_t aside_begin;
    uint32_t aside_end;
    bool begins_buffer;    /* the next record is the first one of its buffer */
    bool overflow_pending; /* POSIX_TRACE_OVERFLOW is to be reported, */
    bool resume_pending;   /* and POSIX_TRACE_RESUME */
    bool lost_event;       /* one that began at this time was torn too far apart */
    uint64_t lost_event_ticks;
    bool within;                     /* an event: its other records follow soon */
    uint32_t running[POSIX_CPUS];    /* the task that runs on each CPU, */
    uint32_t running_known;          /* where it is known, a bit each */
    uint32_t cpu;                    /* the one of the record */
    uint32_t task_count;             /* tasks with a known priority, */
    uint32_t tasks[POSIX_TASKS];     /* their numbers, */
    int16_t priorities[POSIX_TASKS]; /* and their priorities */
    uint32_t cond_count;             /* conditions for which a task waited, */
    uint32_t conds[POSIX_CONDS];     /* their addresses, */
    uint32_t mutexes[POSIX_CONDS];   /* and their mutexes */
} posix_reader_t;

void posix_reader_init(posix_reader_t *reader, posix_next_t next, void *context);

/* The next event that the filter lets through; false when there is none. */
bool posix_reader_read(posix_reader_t *reader, const trace_event_set_t *filter,
                       posix_found_t *found, posix_data_t *data);

/* Copy to where data go. */
void posix_data_add(posix_data_t *data, const void *bytes, size_t count);

/* system.c: translate a kernel event. False when POSIX Trace has no such event. */
bool posix_translate(posix_reader_t *reader, const tt_record_t *record, posix_found_t *found,
                     posix_data_t *data);

/* system.c: have a stream record the system events that are not in the filter. */
void posix_select_system(uint32_t stream, const trace_event_set_t *filter);

/* Streams. ------------------------------------------------------------------------------------- */

typedef struct posix_log {
    bool exists;
    int file;
    uint64_t bytes; /* written so far */
    uint64_t first; /* bytes before the records */
    uint64_t records;
    int flush_error;
    bool flushing;
    bool full;
    bool overrun;
} posix_log_t;

typedef struct posix_stream {
    uint64_t created_ticks;
    uint64_t losses_reported;      /* lost records of the ring at the last status, */
    uint64_t losses_reported_host; /* and a host */
    posix_log_t log;
    tt_reading_t reading; /* buffer of the reader */
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

/* Read by every call that traces an event. */
typedef struct posix_limits {
    _Atomic uint32_t max_data_bytes[POSIX_STREAMS];
    _Atomic uint32_t narrow; /* streams that cut an event of four bytes, a bit each */
    _Atomic uint32_t
        limited; /* streams that were started and stop when they are full, a bit each */
    _Atomic uint32_t refused;     /* of those, to which an event came after that */
    _Atomic uint32_t recording;   /* events that have begun and not ended */
    _Atomic uint32_t waiting;     /* streams with waiting readers */
    _Atomic uint32_t needs_flush; /* streams with a log to be flushed soon */
} posix_limits_t;

extern posix_stream_t posix_streams[POSIX_STREAMS];
extern posix_limits_t posix_limits;

/* Find an active stream of the caller; NULL when there is none. Under posix_port_lock(). */
posix_stream_t *posix_stream_of(trace_id_t trid);
uint32_t posix_stream_number(const posix_stream_t *stream);

/* stream.c */
bool posix_stream_is_running(const posix_stream_t *stream);
bool posix_stream_is_full(const posix_stream_t *stream);
uint64_t posix_stream_losses(const posix_stream_t *stream);
void posix_stream_release(posix_stream_t *stream);
void posix_stream_restart(posix_stream_t *stream);
void posix_stream_restart_drained(posix_stream_t *stream);

/* control.c: whether the stream records an event type */
bool posix_takes(const posix_stream_t *stream, trace_event_id_t event);

/* Record a predefined event into one stream: up to six words. */
void posix_record(const posix_stream_t *stream, trace_event_id_t event, const uint32_t *words,
                  uint32_t word_count);

/* control.c: record POSIX_TRACE_ERROR, with an error number, into a stream that runs; into those of
 * a mask; into all that trace the caller. Not for a stream that is being created or shut down, so
 * under posix_port_lock() or for streams that trace the caller. */
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

/* The open log of the caller; NULL when there is none. */
posix_tape_t *posix_tape_of(trace_id_t trid);

/* Its next event; false at its end. And when that was, CLOCK_REALTIME. */
bool posix_tape_read(posix_tape_t *tape, posix_found_t *found, posix_data_t *data);
void posix_tape_time(const posix_tape_t *tape, uint64_t ticks, struct timespec *time);

const char *posix_tape_type_name(const posix_tape_t *tape, trace_event_id_t event);
void posix_tape_get_attr(const posix_tape_t *tape, trace_attr_t *attr);
void posix_tape_get_status(const posix_tape_t *tape, struct posix_trace_status_info *status);
uint32_t *posix_tape_list_position(posix_tape_t *tape);

/* Streams of a target, in a Linux process. ----------------------------------------------------- */

typedef struct posix_remote posix_remote_t;

/* The functions for streams of a target; those with `remote` may be called under posix_port_lock(),
 * except `read`. */
typedef struct posix_remotes {
    /* Attach to the stream that a target publishes by the name in `attr`; ENOENT without one. */
    int (*create)(const trace_attr_t *attr, trace_id_t *trid);
    posix_remote_t *(*find)(trace_id_t trid); /* NULL when there is none */
    void (*shutdown)(posix_remote_t *remote);
    int (*get_attr)(posix_remote_t *remote, trace_attr_t *attr);
    int (*get_status)(posix_remote_t *remote, struct posix_trace_status_info *status);
    bool (*type_name)(posix_remote_t *remote, trace_event_id_t event, char name[TRACE_NAME_MAX]);
    uint32_t *(*list_position)(posix_remote_t *remote);

    /* Read the next event and its time: 0, ETIMEDOUT when none comes before `until` (a time of 0
     * does not wait; NULL waits without limit), EINTR, EINVAL when the stream has ended. */
    int (*read)(posix_remote_t *remote, const struct timespec *until, posix_found_t *found,
                posix_data_t *data, struct timespec *time);

    /* The event type of a name in the target; ENOENT without a target. Emit an event in it. */
    int (*eventid_open)(const char *name, trace_event_id_t *event);
    void (*event)(trace_event_id_t event, const void *address, const void *data, size_t bytes);
} posix_remotes_t;

/* Defined by the port; NULL in a firmware, which reads no other target. */
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

/* How often the stream was named; 0 where streams have no names. */
static inline uint32_t posix_stream_generation(uint32_t number)
{
#if TT_CONFIG_STREAM_NAMES
    return tt_stream_generation(number);
#else
    (void)number;
    return 0;
#endif
}

/* Whether the drain sends the stream to a host, which has to know its name. */
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
