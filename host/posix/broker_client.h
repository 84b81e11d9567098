/*
 * broker_client.h - connects a Linux process to the socket of `tickertape serve`: sends commands to
 * the target and reads streams of the target (docs/broker.md).
 *
 * Two kinds of connections exist. A *caller* sends commands, one at a time: it opens event types by
 * name, emits events and reads attributes. A *view* attaches to one stream by its public name and
 * reads it. Each connection has its own socket and no thread: unread frames wait in the broker,
 * which discards and counts those beyond its limit.
 *
 * All functions return 0 or an error number and leave errno unchanged. Several threads may use a
 * connection at the same time; a child must not use it after a fork.
 *
 * `address` is unix:PATH or socket://127.0.0.1:PORT. NULL: the environment variable
 * TICKERTAPE_BROKER, else unix:$XDG_RUNTIME_DIR/tickertape.sock, else
 * unix:/tmp/tickertape-UID.sock. A Unix socket is refused (EACCES) if its peer is neither this user
 * nor the superuser.
 */
#ifndef TICKERTAPE_BROKER_CLIENT_H
#define TICKERTAPE_BROKER_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "tickertape/wire.h"

/* Payload of an event from a host: bytes of the origin, then at most so many bytes of data. */
#define TT_BROKER_ORIGIN_BYTES 24u
#define TT_BROKER_DATA_BYTES   (TT_LIMIT_MAX_COMMAND_PAYLOAD_BYTES - TT_BROKER_ORIGIN_BYTES)

/* Number of event types of class USER with a name, and bytes of a name with its end mark. */
#define TT_BROKER_USER_TYPES 32u
#define TT_BROKER_NAME_BYTES 65u

static inline bool tt_time_is_before(const struct timespec *one, const struct timespec *other)
{
    return one->tv_sec < other->tv_sec ||
           (one->tv_sec == other->tv_sec && one->tv_nsec < other->tv_nsec);
}

/* Commands. ------------------------------------------------------------------------------------ */

typedef struct tt_caller tt_caller_t;

/* Connect. ENOENT: no broker listens there; EINVAL: invalid address; EACCES, ENOMEM, ... */
int tt_caller_open(tt_caller_t **caller, const char *address);
void tt_caller_close(tt_caller_t *caller);

/* A command and its arguments. */
typedef struct tt_caller_request {
    tt_command_t command;
    uint32_t stream;
    uint32_t args[4];
    const void *payload; /* follows the command */
    size_t payload_bytes;
} tt_caller_request_t;

/*
 * Execute a command, once. Blocks until the target has answered. EINVAL: refused, `reply`
 * has the reason. ETIMEDOUT: no answer, the result is unknown. EPIPE: the broker is gone. EAGAIN:
 * called by a signal handler that interrupted a call of its own thread. EMSGSIZE: the payload is
 * too long.
 */
int tt_caller_call(tt_caller_t *caller, const tt_caller_request_t *request, tt_wire_reply_t *reply);

/* Open the event type of a name: class << 10 | event, the same for all callers (EVENT_OPEN). */
int tt_caller_event_open(tt_caller_t *caller, const char *name, uint32_t *type);

/* Read an attribute of a stream; `generation`: see tt_view_about_t. EINVAL: the stream is gone. */
int tt_caller_attribute(tt_caller_t *caller, uint32_t stream, uint32_t generation,
                        tt_stream_attribute_t attribute, uint64_t *value);

/*
 * Record an event of type class << 10 | event on the target, marked as from a host. Its payload is
 * `origin`, then the data. Data beyond TT_BROKER_DATA_BYTES are cut, and the event is flagged as
 * truncated. Stores the mask of the streams that recorded it in *streams.
 */
int tt_caller_emit(tt_caller_t *caller, uint32_t type, const uint8_t origin[TT_BROKER_ORIGIN_BYTES],
                   const void *data, size_t data_bytes, uint32_t *streams);

/* Streams. ------------------------------------------------------------------------------------- */

typedef struct tt_view tt_view_t;

/* Records of a buffer; valid until the next tt_view_next() of the view. */
typedef struct tt_view_buffer {
    const uint32_t (*records)[4]; /* header, time, two words, in this machine's byte order */
    uint32_t count;
    uint32_t cpu;
    uint64_t ticks;         /* not later than the first record, less than 2^32 before it */
    uint64_t lost_count;    /* missing records before the buffer */
    uint64_t dropped_count; /* of these, dropped by the target: no room, or the stream was full */
    uint64_t lost_ticks;    /* the missing records are not older than this */
} tt_view_buffer_t;

/* Fate of the records offered since the view began, up to the last receipt: offered is the sum of
 * the others. Includes the records in the stream when the view attached, and the losses since the
 * stream was last read. */
typedef struct tt_view_balance {
    uint64_t offered;
    uint64_t delivered;
    uint64_t overwritten;
    uint64_t dropped;
    uint64_t damaged; /* lost on the link, or because the view did not read in time */
} tt_view_balance_t;

typedef struct tt_view_about {
    uint32_t stream;
    uint32_t generation; /* number of times the stream's number was named, at the time of attach */
    uint32_t tick_hz;
    bool gone; /* the stream was shut down; earlier records may still be read */
} tt_view_about_t;

/* Attach to the stream with this public name. ENOENT: no broker, no target, or no such stream. */
int tt_view_open(tt_view_t **view, const char *address, const char *name);
void tt_view_close(tt_view_t *view);

/*
 * Wait for the next buffer with records until `until` (CLOCK_REALTIME). NULL: no limit; a time of
 * 0: do not wait. ETIMEDOUT: no buffer in time. EINTR: a signal handler ran. EINVAL: the stream was
 * shut down, the target was reset or the broker is gone, and all buffers received before were read.
 */
int tt_view_next(tt_view_t *view, const struct timespec *until, tt_view_buffer_t *buffer);

void tt_view_about(tt_view_t *view, tt_view_about_t *about);
void tt_view_balance(tt_view_t *view, tt_view_balance_t *balance);

/* Store the name of event `number` of class USER. False if no name is known. */
bool tt_view_type_name(tt_view_t *view, uint32_t number, char name[TT_BROKER_NAME_BYTES]);

#endif
