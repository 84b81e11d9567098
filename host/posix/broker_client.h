/*
 * broker_client.h - a Linux process at the socket of `tickertape serve`: it has commands carried
 * out by the target, and reads streams of the target (docs/broker.md).
 *
 * Two kinds of connections. A *caller* sends commands, one at a time: event types are opened by
 * name, events emitted, attributes asked. A *view* reads one stream to which it has attached by the
 * stream's public name. Each has a socket of its own and no thread: what is not read waits in the
 * broker, which throws away, and counts, what is too much.
 *
 * All functions return 0 or an error number and leave errno alone. Threads may use a connection at
 * the same time; a child must not use it after a fork.
 *
 * `address` is unix:PATH or socket://127.0.0.1:PORT; NULL takes that of the environment variable
 * TICKERTAPE_BROKER, else unix:$XDG_RUNTIME_DIR/tickertape.sock, else
 * unix:/tmp/tickertape-UID.sock. A Unix socket of another user, who is not the superuser, is
 * refused (EACCES).
 */
#ifndef TICKERTAPE_BROKER_CLIENT_H
#define TICKERTAPE_BROKER_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "tickertape/wire.h"

/* Bytes in front of the user's data in an event from a host, and of those data at most. */
#define TT_BROKER_ORIGIN_BYTES 24u
#define TT_BROKER_DATA_BYTES   (TT_LIMIT_MAX_COMMAND_PAYLOAD_BYTES - TT_BROKER_ORIGIN_BYTES)

/* Event types of class USER whose names are known, and the bytes of a name with its end mark. */
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

/* What a command needs, and what came of it. */
typedef struct tt_caller_request {
    tt_command_t command;
    uint32_t stream;
    uint32_t args[4];
    const void *payload; /* follows the command */
    size_t payload_bytes;
} tt_caller_request_t;

/*
 * Execute a command, once. Blocks until the target has answered. EINVAL: refused, `reply`
 * has the reason. ETIMEDOUT: no answer, the result is unknown. EPIPE: the broker is gone.
 * EAGAIN: a signal handler has interrupted a call of its own thread. EMSGSIZE: the payload is too
 * long.
 */
int tt_caller_call(tt_caller_t *caller, const tt_caller_request_t *request, tt_wire_reply_t *reply);

/* The event type of a name, class << 10 | event, the same for all callers (EVENT_OPEN). */
int tt_caller_event_open(tt_caller_t *caller, const char *name, uint32_t *type);

/* An attribute of a stream, `generation` as in its view; EINVAL when it is gone. */
int tt_caller_attribute(tt_caller_t *caller, uint32_t stream, uint32_t generation,
                        tt_stream_attribute_t attribute, uint64_t *value);

/*
 * Record an event of type class << 10 | event on the target, marked as from a host. Its payload is
 * `origin`, then the data; data beyond TT_BROKER_DATA_BYTES are cut, and the event is flagged.
 * `streams` becomes the mask of the streams that took it.
 */
int tt_caller_emit(tt_caller_t *caller, uint32_t type, const uint8_t origin[TT_BROKER_ORIGIN_BYTES],
                   const void *data, size_t data_bytes, uint32_t *streams);

/* Streams. ------------------------------------------------------------------------------------- */

typedef struct tt_view tt_view_t;

/* Records of a buffer; they are the view's until its next buffer is taken. */
typedef struct tt_view_buffer {
    const uint32_t (*records)[4]; /* header, time, two words, in this machine's byte order */
    uint32_t count;
    uint32_t cpu;
    uint64_t ticks;         /* not later than the first record, less than 2^32 before it */
    uint64_t lost_count;    /* records before it that are missing, */
    uint64_t dropped_count; /* of these, dropped by the target: it had no room, or was full */
    uint64_t lost_ticks;    /* the first of them was recorded not before */
} tt_view_buffer_t;

/* What became of the records that were offered since the view began, up to the last receipt:
 * offered is the sum of the others. It begins with the records in the stream when the view
 * attached, and the losses since the stream was last read. */
typedef struct tt_view_balance {
    uint64_t offered;
    uint64_t delivered;
    uint64_t overwritten;
    uint64_t dropped;
    uint64_t damaged; /* lost on the link, or because the view did not read in time */
} tt_view_balance_t;

typedef struct tt_view_about {
    uint32_t stream;
    uint32_t generation; /* how often the stream's number was named when we attached */
    uint32_t tick_hz;
    bool gone; /* the stream was shut down; what came before may still be read */
} tt_view_about_t;

/* Attach to the stream of this name. ENOENT: no broker, no target, or it has no such stream. */
int tt_view_open(tt_view_t **view, const char *address, const char *name);
void tt_view_close(tt_view_t *view);

/*
 * Wait for the next buffer with records until `until` (CLOCK_REALTIME); NULL: forever, a time of
 * 0: not at all. ETIMEDOUT: none came. EINTR: a signal handler ran. EINVAL: the stream was shut
 * down, the target was reset or the broker is gone, and everything that came before was read.
 */
int tt_view_next(tt_view_t *view, const struct timespec *until, tt_view_buffer_t *buffer);

void tt_view_about(tt_view_t *view, tt_view_about_t *about);
void tt_view_balance(tt_view_t *view, tt_view_balance_t *balance);

/* The name of event `number` of class USER. False when it has none, as far as is known. */
bool tt_view_type_name(tt_view_t *view, uint32_t number, char name[TT_BROKER_NAME_BYTES]);

#endif
