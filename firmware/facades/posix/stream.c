/* Functions of the controller: create, start, stop, clear and shut down streams. */
#include <errno.h>
#include <string.h>

#include "posix_stream.h"
#include "tickertape/add.h"
#include "tickertape/events.h"
#include "tickertape/port.h"
#include "tickertape/stream.h"

/* Largest number of pauses while the drain or a recording thread has a buffer or an event. */
#define PAUSES_MAX 100u

posix_stream_t posix_streams[POSIX_STREAMS];
posix_limits_t posix_limits;

_Static_assert(POSIX_STREAMS == TRACE_SYS_MAX, "POSIX Trace: TT_CONFIG_STREAMS=8");
_Static_assert(TT_CONFIG_READERS, "POSIX Trace: TT_CONFIG_READERS=1");

uint32_t posix_stream_number(const posix_stream_t *stream)
{
    return (uint32_t)(stream - posix_streams);
}

posix_stream_t *posix_stream_of(trace_id_t trid)
{
    for (uint32_t i = 0; i < POSIX_STREAMS; i++) {
        posix_stream_t *stream = &posix_streams[i];
        if (stream->used && posix_trid(stream->generation, 0, i) == trid &&
            stream->owner == posix_port_pid()) {
            return stream;
        }
    }
    return NULL;
}

/* States. -------------------------------------------------------------------------------------- */

static tt_ring_status_t counters_of(const posix_stream_t *stream)
{
    tt_ring_status_t status;
    (void)tt_ring_status(posix_stream_number(stream), 0, &status);
    return status;
}

bool posix_stream_is_running(const posix_stream_t *stream)
{
    return counters_of(stream).running;
}

/* Return whether a started stream has stopped as full (policy UNTIL_FULL). */
static bool has_stopped_itself(const posix_stream_t *stream)
{
    return stream->started && !posix_stream_is_running(stream);
}

bool posix_stream_is_full(const posix_stream_t *stream)
{
    uint32_t number = posix_stream_number(stream);
    return has_stopped_itself(stream) ||
           (stream->attr.stream_full_policy != POSIX_TRACE_UNTIL_FULL &&
            tt_buffers_in_use(number) == tt_buffers(number));
}

uint64_t posix_stream_losses(const posix_stream_t *stream)
{
    tt_ring_status_t status = counters_of(stream);
    return status.dropped + status.overwritten - status.read;
}

static void set_bit(_Atomic uint32_t *word, uint32_t number, bool set)
{
    if (set) {
        (void)atomic_fetch_or(word, 1u << number);
    } else {
        (void)atomic_fetch_and(word, ~(1u << number));
    }
}

/* Events. -------------------------------------------------------------------------------------- */

bool posix_takes(const posix_stream_t *stream, trace_event_id_t event)
{
    return !posix_is_member(&stream->filter, event);
}

static const uint8_t tracer_numbers[] = {
    [POSIX_TRACE_ERROR] = TT_TRACER_ERROR,
    [POSIX_TRACE_START] = TT_TRACER_START,
    [POSIX_TRACE_STOP] = TT_TRACER_STOP,
    [POSIX_TRACE_FILTER] = TT_TRACER_FILTER,
    [POSIX_TRACE_FLUSH_START] = TT_TRACER_FLUSH_START,
    [POSIX_TRACE_FLUSH_STOP] = TT_TRACER_FLUSH_STOP,
};

void posix_record(const posix_stream_t *stream, trace_event_id_t event, const uint32_t *words,
                  uint32_t word_count)
{
    if (!posix_takes(stream, event)) {
        return;
    }
    uint32_t route = 1u << posix_stream_number(stream);
    uint32_t header = TT_ADD_HEADER(TT_CLASS_TRACER, tracer_numbers[event]);
    (void)posix_port_before_event(event, NULL, NULL, 0);
    uint32_t key = posix_port_begin_event();
    if (event == POSIX_TRACE_STOP) { /* the stream has stopped */
        tt_record_closed(posix_stream_number(stream), header, words[0], words[1]);
    } else if (word_count > 2u) {
        tt_record_payload(header, route, words, word_count, NULL, 0);
    } else {
        tt_record(words[0], words[1], header, route);
    }
    posix_port_end_event(key);
    if ((atomic_load(&posix_limits.waiting) & route) != 0u) {
        posix_port_wake(route);
    }
}

/* Start recording in a stream. START is the first event, because the routes are set after it. */
static void run(posix_stream_t *stream)
{
    uint32_t number = posix_stream_number(stream);
    const uint32_t words[] = {number, 0, stream->filter.bits[0], stream->filter.bits[1]};
    (void)tt_stop(number); /* a stream that was full may still have routes */
    tt_flush(number);      /* the open buffer may be older than a period of the counter */
    tt_run_closed(number, true);
    posix_record(stream, POSIX_TRACE_START, words, 4);
    (void)tt_start_without_state(number);
    set_bit(&posix_limits.refused, number, false);
    set_bit(&posix_limits.limited, number,
            stream->attr.stream_full_policy == POSIX_TRACE_UNTIL_FULL);
}

/* Stop a stream and record STOP after all other records. STOP is lost like any other record when
 * the stream has no room. */
static void record_stop(posix_stream_t *stream, uint32_t by_itself)
{
    uint32_t number = posix_stream_number(stream);
    const uint32_t words[2] = {number, by_itself};
    (void)tt_stop(number);
    posix_record(stream, POSIX_TRACE_STOP, words, 2);
}

void posix_stream_restart(posix_stream_t *stream)
{
    run(stream);
}

void posix_stream_restart_drained(posix_stream_t *stream)
{
    if (has_stopped_itself(stream) && tt_buffers_in_use(posix_stream_number(stream)) == 0u) {
        record_stop(stream, 1);
        run(stream);
    }
}

int posix_trace_start(trace_id_t trid)
{
    posix_port_lock();
    posix_stream_t *stream = posix_stream_of(trid);
    if (stream != NULL && !stream->started) {
        stream->started = true;
        run(stream);
        tt_record_state(posix_stream_number(stream));
    }
    posix_port_unlock();
    return stream == NULL ? EINVAL : 0;
}

static void stop(posix_stream_t *stream)
{
    record_stop(stream, 0);
    stream->started = false;
    set_bit(&posix_limits.limited, posix_stream_number(stream), false);
}

int posix_trace_stop(trace_id_t trid)
{
    posix_port_lock();
    posix_stream_t *stream = posix_stream_of(trid);
    if (stream != NULL && stream->started && !has_stopped_itself(stream)) {
        stop(stream);
    }
    posix_port_unlock();
    return stream == NULL ? EINVAL : 0;
}

/* Reading. ------------------------------------------------------------------------------------- */

/* Release the buffer of the reader, which has read its records up to `reader.index`. */
void posix_stream_release(posix_stream_t *stream)
{
    if (stream->taken) {
        tt_release_buffer(posix_stream_number(stream), &stream->reading, stream->reader.index);
        stream->taken = false;
    }
}

/* Take a buffer. If the reader is inside an event that a preempted thread is still recording, wait
 * for that thread. */
static bool take(posix_stream_t *stream)
{
    for (uint32_t pauses = 0;; pauses++) {
        bool may_come = stream->reader.within && atomic_load(&posix_limits.recording) != 0u;
        if (tt_acquire_buffer(posix_stream_number(stream), &stream->reading)) {
            return true;
        }
        if (!may_come || pauses == PAUSES_MAX) {
            return false;
        }
        posix_port_pause();
    }
}

static bool next_buffer(void *context, posix_buffer_t *buffer)
{
    posix_stream_t *stream = context;
    if (stream->taken) {
        tt_release_buffer(posix_stream_number(stream), &stream->reading, stream->reading.count);
    }
    stream->taken = take(stream);
    if (!stream->taken) {
        return false;
    }
    *buffer = (posix_buffer_t){
        .records = stream->reading.records,
        .count = stream->reading.count,
        .ticks = stream->reading.ticks,
        .overflow = stream->reading.overwritten_count != 0u,
        .lost_ticks = stream->reading.lost_ticks,
    };
    return true;
}

/* Discard the waiting buffers. */
static void empty(posix_stream_t *stream)
{
    tt_reading_t reading;
    uint32_t number = posix_stream_number(stream);
    posix_stream_release(stream);
    for (uint32_t pauses = 0; tt_buffers_in_use(number) > 0u && pauses < PAUSES_MAX; pauses++) {
        if (pauses > 0u) {
            posix_port_pause(); /* the drain is sending a buffer */
        }
        while (tt_acquire_buffer(number, &reading)) {
            tt_release_buffer(number, &reading, 0);
        }
    }
    stream->reader.buffer = (posix_buffer_t){.count = 0};
    stream->reader.index = 0;
    stream->reader.aside_begin = 0;
    stream->reader.aside_end = 0;
    stream->reader.overflow_pending = false;
    stream->reader.resume_pending = false;
    stream->reader.lost_event = false;
    stream->losses_reported = posix_stream_losses(stream);
    set_bit(&posix_limits.refused, number, false);
}

int posix_trace_clear(trace_id_t trid)
{
    posix_port_lock();
    posix_stream_t *stream = posix_stream_of(trid);
    int result = stream == NULL ? EINVAL : 0;
    if (stream != NULL) {
        bool stopped_itself = has_stopped_itself(stream);
        empty(stream);
        if (stream->log.exists) {
            result = posix_log_clear(stream);
        }
        if (stopped_itself) { /* the stream stays suspended, as after posix_trace_stop() */
            stream->started = false;
            set_bit(&posix_limits.limited, posix_stream_number(stream), false);
        }
    }
    posix_port_unlock();
    return result;
}

/* Creating. ------------------------------------------------------------------------------------ */

static tt_policy_t core_policy(int policy)
{
    return policy == POSIX_TRACE_LOOP         ? TT_POLICY_OVERWRITE
           : policy == POSIX_TRACE_UNTIL_FULL ? TT_POLICY_UNTIL_FULL
                                              : TT_POLICY_DROP;
}

/* Return the number of buffers that keep so many bytes, also while a reader has one of them. */
static uint32_t buffers_for(size_t bytes)
{
    size_t buffer_bytes = TT_CONFIG_BUFFER_RECORDS * sizeof(tt_record_t);
    size_t wanted = (bytes + buffer_bytes - 1u) / buffer_bytes + 1u;
    return wanted < 2u ? 2u : (uint32_t)wanted;
}

static int check(const trace_attr_t *attr, bool with_log)
{
    if (!posix_attr_is_valid(attr) ||
        (attr->stream_full_policy == POSIX_TRACE_FLUSH && !with_log)) {
        return EINVAL;
    }
    return attr->stream_min_size > posix_stream_size_max() ||
                   attr->max_data_size > attr->stream_min_size
               ? ENOMEM
               : 0;
}

static void end(posix_stream_t *stream)
{
    uint32_t number = posix_stream_number(stream);
    bool attached = posix_stream_attached(number);
    (void)tt_stop(number);
    posix_port_trace(number, 0, false);
    posix_port_publish(number, NULL);
    if (!attached) {
        empty(stream);
    } else { /* the drain sends the remaining buffers to the hosts */
        posix_stream_release(stream);
    }
    (void)tt_select_all(number, false);
    set_bit(&posix_limits.limited, number, false);
    stream->used = false;
    posix_port_wake(1u << number);
}

/* Find a stream that is not in use; first end streams of processes that no longer exist. A stream
 * whose records hosts still receive is the last choice, because a new stream discards them. */
static posix_stream_t *find_free(void)
{
    posix_stream_t *found = NULL;
    for (uint32_t i = 0; i < POSIX_STREAMS; i++) {
        posix_stream_t *stream = &posix_streams[i];
        if (stream->used && !posix_port_lives(stream->owner)) {
            end(stream);
        }
        if (!stream->used && (found == NULL || tt_buffers_in_use(i) == 0u)) {
            found = stream;
            if (tt_buffers_in_use(i) == 0u) {
                break;
            }
        }
    }
    return found;
}

/* Initialise an unused stream for the caller. Returns EAGAIN when the drain still has a buffer of
 * its last user, because size and policy change only while the rings are empty. */
static int prepare(posix_stream_t *stream, const trace_attr_t *attr)
{
    uint32_t number = posix_stream_number(stream);
    *stream = (posix_stream_t){
        .generation = stream->generation + 1u,
        .owner = posix_port_pid(),
        .attr = *attr,
        .created_ticks = tt_clock_now(),
    };
    posix_port_now(&stream->attr.creation_time);
    posix_reader_init(&stream->reader, next_buffer, stream);
    (void)tt_pause_drain(number, true);
    empty(stream);
    if (tt_set_policy(number, core_policy(attr->stream_full_policy)) != TT_OK ||
        tt_set_buffers(number, buffers_for(attr->stream_min_size)) != TT_OK) {
        (void)tt_pause_drain(number, false); /* the drain sends its records again */
        return EAGAIN;
    }
    stream->used = true;
    atomic_store(&posix_limits.max_data_bytes[number], (uint32_t)attr->max_data_size);
    set_bit(&posix_limits.narrow, number, attr->max_data_size < sizeof(uint32_t));
    for (uint32_t user = 0; user < TRACE_USER_EVENT_MAX; user++) {
        (void)tt_select_event(number, TT_CLASS_USER, user, true);
    }
    posix_select_system(number, &stream->filter);
    posix_port_publish(number, attr->name[0] == '\0' ? NULL : stream->attr.name);
    return 0;
}

static int create(pid_t pid, const trace_attr_t *attr, int file, bool with_log, trace_id_t *trid)
{
    int result = pid == 0 ? 0 : posix_port_may_trace(pid);
    if (result != 0) {
        return result;
    }
    posix_stream_t *stream = find_free();
    if (stream == NULL) {
        return EAGAIN;
    }
    result = prepare(stream, attr);
    if (result != 0) {
        return result;
    }
    if (with_log) {
        result = posix_log_begin(stream, file);
        if (result != 0) {
            end(stream);
            return result;
        }
    }
    posix_port_trace(posix_stream_number(stream), pid == 0 ? posix_port_pid() : pid,
                     attr->inheritance == POSIX_TRACE_INHERITED);
    *trid = posix_trid(stream->generation, 0, posix_stream_number(stream));
    return 0;
}

static int create_any(pid_t pid, const trace_attr_t *attr, int file, bool with_log,
                      trace_id_t *trid)
{
    trace_attr_t copy;
    (void)posix_trace_attr_init(&copy);
    if (attr != NULL) {
        copy = *attr;
    }
    if (with_log && !copy.stream_full_policy_set) {
        copy.stream_full_policy = POSIX_TRACE_FLUSH;
    }
    int result = trid == NULL || pid < 0 ? EINVAL : check(&copy, with_log);
    if (result == 0 && with_log) {
        result = posix_port_file_check_writable(file);
    }
    if (result == 0 && !with_log && copy.name[0] != '\0') {
        trace_id_t remote = 0;
        int attached = posix_remotes == NULL ? ENOENT : posix_remotes->create(&copy, &remote);
        if (attached == 0) {
            *trid = remote;
        }
        if (attached != ENOENT) {
            return attached;
        }
    }
    if (result == 0) {
        posix_port_lock();
        posix_types_begin();
        result = create(pid, &copy, file, with_log, trid);
        posix_port_unlock();
    }
    return result;
}

int posix_trace_create(pid_t pid, const trace_attr_t *restrict attr, trace_id_t *restrict trid)
{
    return create_any(pid, attr, -1, false, trid);
}

int posix_trace_create_withlog(pid_t pid, const trace_attr_t *restrict attr, int file_desc,
                               trace_id_t *restrict trid)
{
    return create_any(pid, attr, file_desc, true, trid);
}

/* Ending. -------------------------------------------------------------------------------------- */

static int shut_down(posix_stream_t *stream)
{
    int result = 0;
    if (posix_stream_is_running(stream)) {
        stop(stream);
    }
    if (stream->log.exists) {
        result = posix_log_end(stream);
    }
    end(stream);
    return result;
}

int posix_trace_shutdown(trace_id_t trid)
{
    posix_port_lock();
    posix_stream_t *stream = posix_stream_of(trid);
    posix_remote_t *remote = posix_remote_of(trid);
    int result = stream == NULL ? EINVAL : shut_down(stream);
    posix_port_unlock();
    if (remote != NULL) { /* only detach: the stream continues in its target */
        posix_remotes->shutdown(remote);
        result = 0;
    }
    return result;
}

void posix_shutdown_all(void)
{
    posix_port_lock();
    for (uint32_t i = 0; i < POSIX_STREAMS; i++) {
        if (posix_streams[i].used && posix_streams[i].owner == posix_port_pid()) {
            (void)shut_down(&posix_streams[i]);
        }
    }
    posix_port_unlock();
}

int posix_trace_flush(trace_id_t trid)
{
    posix_port_lock();
    posix_stream_t *stream = posix_stream_of(trid);
    int result = stream == NULL || !stream->log.exists ? EINVAL : posix_log_flush(stream);
    posix_port_unlock();
    return result;
}
