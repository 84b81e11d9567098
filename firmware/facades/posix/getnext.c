/* The analyzer: read events one by one from an active stream or a log. */
#include <errno.h>
#include <string.h>

#include "posix_stream.h"
#include "posix_time.h"

/* Arguments of a call, and the destinations of its results. */
typedef struct request {
    trace_id_t trid;
    struct posix_trace_event_info *event;
    posix_data_t data;
    size_t *data_len;
    int *unavailable;
    bool waits;
    const struct timespec *until;
} request_t;

/* Result of a read, in addition to 0 and error numbers: no event is available yet. */
#define NOTHING_YET (-1)

static void fill(const posix_found_t *found, struct posix_trace_event_info *event)
{
    *event = (struct posix_trace_event_info){
        .posix_event_id = found->id,
        .posix_pid = (pid_t)found->pid,
        .posix_prog_address = (void *)(uintptr_t)found->address,
        .posix_truncation_status =
            found->cut ? POSIX_TRACE_TRUNCATED_RECORD : POSIX_TRACE_NOT_TRUNCATED,
        .posix_thread_id = (pthread_t)found->thread,
    };
}

/* Read the next event of a log; set *unavailable at its end. */
static int read_log(posix_tape_t *tape, request_t *request)
{
    posix_found_t found;
    *request->unavailable = !posix_tape_read(tape, &found, &request->data);
    if (*request->unavailable == 0) {
        fill(&found, request->event);
        posix_tape_time(tape, found.ticks, &request->event->posix_timestamp);
    }
    return 0;
}

static void stop_found(const posix_stream_t *stream, posix_found_t *found, posix_data_t *data)
{
    const int automatic = 1;
    posix_data_add(data, &automatic, sizeof automatic);
    *found = (posix_found_t){.id = POSIX_TRACE_STOP,
                             .ticks = tt_full_ticks(posix_stream_number(stream)),
                             .data_bytes = sizeof automatic};
}

/* Restart a stream that stopped because it was full and whose events were read. Returns true if
 * STOP is to be reported. */
static bool read_full_stop(posix_stream_t *stream, posix_found_t *found, posix_data_t *data)
{
    bool reported = posix_takes(stream, POSIX_TRACE_STOP);
    if (reported) {
        stop_found(stream, found, data);
    }
    posix_stream_restart(stream);
    return reported;
}

/* Read the next event of an active stream. Returns false when there is none. */
static bool read_stream(posix_stream_t *stream, posix_found_t *found, posix_data_t *data)
{
    for (;;) {
        bool stopped = stream->started && !posix_stream_is_running(stream);
        if (posix_reader_read(&stream->reader, &stream->filter, found, data)) {
            return true;
        }
        data->needed = 0;
        if (!stopped) {
            return false;
        }
        if (read_full_stop(stream, found, data)) {
            return true;
        }
    }
}

/* Read an event without waiting. Returns 0, NOTHING_YET or an error number. Under
 * posix_port_lock(). */
static int read_once(request_t *request)
{
    posix_found_t found;
    posix_stream_t *stream = posix_stream_of(request->trid);
    request->data.needed = 0;
    if (stream == NULL) {
        posix_tape_t *tape = posix_tape_of(request->trid);
        bool wants_log = request->waits && request->until == NULL;
        return tape == NULL || !wants_log ? EINVAL : read_log(tape, request);
    }
    if (stream->log.exists) {
        return EINVAL; /* its events go to the log */
    }
    if (!read_stream(stream, &found, &request->data)) {
        return NOTHING_YET;
    }
    *request->unavailable = 0;
    fill(&found, request->event);
    posix_port_time(found.ticks, &request->event->posix_timestamp);
    return 0;
}

/* Store the length of the data, and mark the event if the data did not fit. */
static void cut(const request_t *request)
{
    size_t needed = request->data.needed;
    size_t room = request->data.room;
    *request->data_len = needed < room ? needed : room;
    if (needed > room) {
        request->event->posix_truncation_status = POSIX_TRACE_TRUNCATED_READ;
    }
}

static bool is_time(const struct timespec *time)
{
    return time->tv_nsec >= 0 && time->tv_nsec < (long)POSIX_NS_PER_S;
}

/* Mark that a reader waits for a stream, and get its ticket. Returns the number of the stream, or
 * POSIX_STREAMS if it does not exist. */
static uint32_t begin_waiting(trace_id_t trid, uint32_t *ticket)
{
    const posix_stream_t *stream = posix_stream_of(trid);
    uint32_t number = stream == NULL ? POSIX_STREAMS : posix_stream_number(stream);
    if (stream != NULL) {
        *ticket = posix_port_ticket(number);
        (void)atomic_fetch_or(&posix_limits.waiting, 1u << number);
    }
    return number;
}

/*
 * Read an event, waiting for it if requested. The bit in `waiting` is set before the last read, and
 * the recording of an event reads that bit afterwards: so either this read finds the event, or the
 * ticket has changed. The bit stays set, because a reader usually waits again.
 */
static int read_or_wait(request_t *request)
{
    for (;;) {
        uint32_t ticket = 0;
        posix_port_lock();
        int result = read_once(request);
        uint32_t number = POSIX_STREAMS;
        if (result == NOTHING_YET && request->waits) {
            number = begin_waiting(request->trid, &ticket);
            result = read_once(request);
        }
        posix_port_unlock();
        if (result != NOTHING_YET) {
            return result;
        }
        if (!request->waits) {
            *request->unavailable = 1;
            return 0;
        }
        if (request->until != NULL && !is_time(request->until)) {
            return EINVAL;
        }
        result = posix_port_wait(number, ticket, request->until);
        if (result != 0) {
            return result;
        }
    }
}

/* Read an event of a stream of a target, which has its own lock. */
static int read_remote(posix_remote_t *remote, request_t *request)
{
    static const struct timespec at_once;
    posix_found_t found;
    struct timespec time;
    int result = posix_remotes->read(remote, request->waits ? request->until : &at_once, &found,
                                     &request->data, &time);
    if (result == ETIMEDOUT && request->until != NULL && !is_time(request->until)) {
        return EINVAL;
    }
    if (result == ETIMEDOUT && !request->waits) {
        *request->unavailable = 1;
        return 0;
    }
    if (result == 0) {
        *request->unavailable = 0;
        fill(&found, request->event);
        request->event->posix_timestamp = time;
    }
    return result;
}

static int getnext(request_t *request)
{
    if (request->event == NULL || request->data_len == NULL || request->unavailable == NULL ||
        (request->data.to == NULL && request->data.room != 0u)) {
        return EINVAL;
    }
    posix_remote_t *remote = posix_remote_of(request->trid);
    int result = remote != NULL ? read_remote(remote, request) : read_or_wait(request);
    if (result == 0 && *request->unavailable == 0) {
        cut(request);
    }
    return result;
}

int posix_trace_getnext_event(trace_id_t trid, struct posix_trace_event_info *restrict event,
                              void *restrict data, size_t num_bytes, size_t *restrict data_len,
                              int *restrict unavailable)
{
    request_t request = {.trid = trid,
                         .event = event,
                         .data = {.to = data, .room = num_bytes},
                         .data_len = data_len,
                         .unavailable = unavailable,
                         .waits = true};
    return getnext(&request);
}

int posix_trace_timedgetnext_event(trace_id_t trid, struct posix_trace_event_info *restrict event,
                                   void *restrict data, size_t num_bytes, size_t *restrict data_len,
                                   int *restrict unavailable,
                                   const struct timespec *restrict abstime)
{
    request_t request = {.trid = trid,
                         .event = event,
                         .data = {.to = data, .room = num_bytes},
                         .data_len = data_len,
                         .unavailable = unavailable,
                         .waits = true,
                         .until = abstime};
    return abstime == NULL ? EINVAL : getnext(&request);
}

int posix_trace_trygetnext_event(trace_id_t trid, struct posix_trace_event_info *restrict event,
                                 void *restrict data, size_t num_bytes, size_t *restrict data_len,
                                 int *restrict unavailable)
{
    request_t request = {.trid = trid,
                         .event = event,
                         .data = {.to = data, .room = num_bytes},
                         .data_len = data_len,
                         .unavailable = unavailable};
    return getnext(&request);
}
