/*
 * POSIX Trace for streams of a target that a broker publishes (docs/broker.md). The process also
 * takes part in the trace of that target: it uses the target's event types, and sends its events to
 * the target.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "broker_client.h"
#include "linux_shared.h"
#include "posix_stream.h"
#include "posix_time.h"
#include "tickertape/define.h"
#include "tickertape/events.h"
#include "tickertape/wire.h"

#define REMOTES 8u

/* A reader releases its stream at this interval, so that it can be shut down. */
#define SLICE_NS 50000000

/* Longest wait for the next buffer, which contains the rest of an event. */
#define REST_S 2

struct posix_remote {
    pthread_mutex_t turn;
    tt_view_t *view;
    const struct timespec *until;
    trace_attr_t attr;
    posix_reader_t reader;
    tt_view_about_t about;
    trace_event_set_t hidden; /* context switches, if the filter of the stream excludes them */
    pid_t owner;
    uint32_t generation;
    uint32_t list_position;
    int result; /* result of the last tt_view_next() */
    bool used;
};

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static posix_remote_t remotes[REMOTES];

/* Connection of the process for commands, opened on first use. */
static pthread_mutex_t caller_turn = PTHREAD_MUTEX_INITIALIZER;
static tt_caller_t *caller;
static pid_t caller_owner;
static _Atomic uint32_t target_types; /* opened user event types of the target, one bit each */

static struct timespec later(const struct timespec *time, long long ns)
{
    long long sum = time->tv_nsec + ns;
    return (struct timespec){.tv_sec = time->tv_sec + sum / POSIX_NS_PER_S,
                             .tv_nsec = sum % POSIX_NS_PER_S};
}

/* Finding and ending. -------------------------------------------------------------------------- */

static posix_remote_t *find(trace_id_t trid)
{
    if (((uint32_t)trid & 0xffu) <= POSIX_TRID_HOST) {
        return NULL;
    }
    uint32_t number = ((uint32_t)trid & 0x7fu) - 1u;
    posix_remote_t *remote = number < REMOTES ? &remotes[number] : NULL;
    bool found = remote != NULL && remote->used && remote->owner == posix_process.pid &&
                 posix_trid(remote->generation, POSIX_TRID_HOST, number) == trid;
    return found ? remote : NULL;
}

static void shut_down(posix_remote_t *remote)
{
    (void)pthread_mutex_lock(&remote->turn);
    if (remote->used) {
        remote->used = false;
        tt_view_close(remote->view);
    }
    (void)pthread_mutex_unlock(&remote->turn);
}

/* Reading. ------------------------------------------------------------------------------------- */

static bool next_buffer(void *context, posix_buffer_t *buffer)
{
    posix_remote_t *remote = context;
    tt_view_buffer_t next;
    struct timespec now;
    posix_port_now(&now);
    struct timespec rest = later(&now, REST_S * (long long)POSIX_NS_PER_S);
    remote->result =
        tt_view_next(remote->view, remote->reader.within ? &rest : remote->until, &next);
    if (remote->result != 0) {
        return false;
    }
    *buffer = (posix_buffer_t){
        .records = (const tt_record_t *)next.records,
        .count = next.count,
        .ticks = next.ticks,
        .overflow = next.lost_count != next.dropped_count, /* as for a reader on the target */
        .lost_ticks = next.lost_ticks,
    };
    return true;
}

/* Read an event, or wait for it until `until`. Returns 0 or an error number. */
static int read_until(posix_remote_t *remote, const struct timespec *until, posix_found_t *found,
                      posix_data_t *data)
{
    int result = EINVAL;
    (void)pthread_mutex_lock(&remote->turn);
    if (remote->used) {
        remote->until = until;
        data->needed = 0;
        result =
            posix_reader_read(&remote->reader, &remote->hidden, found, data) ? 0 : remote->result;
    }
    (void)pthread_mutex_unlock(&remote->turn);
    return result;
}

static void time_of(const posix_remote_t *remote, uint64_t ticks, struct timespec *time)
{
    *time = posix_time_of_ticks(ticks, remote->about.tick_hz);
}

static int read_event(posix_remote_t *remote, const struct timespec *until, posix_found_t *found,
                      posix_data_t *data, struct timespec *time)
{
    for (;;) {
        struct timespec now;
        posix_port_now(&now);
        struct timespec slice = later(&now, SLICE_NS);
        bool is_last = until != NULL && !tt_time_is_before(&slice, until);
        int result = read_until(remote, is_last ? until : &slice, found, data);
        if (result == 0) {
            time_of(remote, found->ticks, time);
        }
        if (result != ETIMEDOUT || is_last) {
            return result;
        }
    }
}

/* Commands. ------------------------------------------------------------------------------------ */

/* This thread is between begin_call() and end_call(): its signal handlers must not wait. */
static _Thread_local bool calling;

/* Lock the connection. False in a signal handler that interrupted a call of its own thread. */
static bool begin_call(void)
{
    if (calling) {
        return false;
    }
    calling = true;
    atomic_signal_fence(memory_order_seq_cst);
    (void)pthread_mutex_lock(&caller_turn);
    return true;
}

static void end_call(void)
{
    (void)pthread_mutex_unlock(&caller_turn);
    atomic_signal_fence(memory_order_seq_cst);
    calling = false;
}

/* Return the connection of this process; NULL: no broker. Only between begin_call(), end_call(). */
static tt_caller_t *get_caller(void)
{
    if (caller_owner != posix_process.pid) { /* of the parent, or not open */
        caller = NULL;
        if (tt_caller_open(&caller, NULL) == 0) {
            caller_owner = posix_process.pid;
        } else {
            caller = NULL;
        }
    }
    return caller;
}

static int open_eventid(const char *name, trace_event_id_t *event)
{
    uint32_t type = 0;
    (void)begin_call();
    tt_caller_t *own = get_caller();
    int result = own == NULL ? ENOENT : tt_caller_event_open(own, name, &type);
    end_call();
    if (own == NULL) {
        return ENOENT;
    }
    uint32_t user = type & TT_RECORD_EVENT_MASK;
    if (result != 0 || type >> 10 != TT_CLASS_USER || user >= TRACE_USER_EVENT_MAX) {
        *event = POSIX_TRACE_UNNAMED_USEREVENT; /* the target has no room for another name */
        return 0;
    }
    (void)tt_define(user, TT_CLASS_USER, user, name);
    (void)atomic_fetch_or(&target_types, 1u << user);
    *event = (trace_event_id_t)(POSIX_FIRST_USER + user);
    return 0;
}

static void emit_event(trace_event_id_t event, const void *address, const void *data, size_t bytes)
{
    uint32_t user = (uint32_t)event - POSIX_FIRST_USER;
    uint32_t types = atomic_load_explicit(&target_types, memory_order_relaxed);
    if (types == 0u || ((types >> user) & 1u) == 0u) {
        return;
    }
    posix_port_origin_t origin;
    uint32_t streams;
    int kept = errno;
    posix_port_origin(address, &origin);
    if (begin_call()) { /* else the event does not reach the target */
        tt_caller_t *own = get_caller();
        if (own != NULL) {
            (void)tt_caller_emit(own, TT_EVENT_TYPE(TT_CLASS_USER, user),
                                 (const uint8_t *)origin.words, data, bytes, &streams);
        }
        end_call();
    }
    errno = kept;
}

static int ask(const posix_remote_t *remote, tt_stream_attribute_t attribute, uint64_t *value)
{
    (void)begin_call();
    tt_caller_t *own = get_caller();
    int result = own == NULL ? EINVAL
                             : tt_caller_attribute(own, remote->about.stream,
                                                   remote->about.generation, attribute, value);
    end_call();
    return result == 0 ? 0 : EINVAL;
}

/* Attributes and status. ----------------------------------------------------------------------- */

static int get_attr(posix_remote_t *remote, trace_attr_t *attr)
{
    uint64_t size = 0;
    uint64_t data_size = 0;
    uint64_t policy = 0;
    uint64_t created = 0;
    int result = ask(remote, TT_STREAM_ATTRIBUTE_SIZE, &size);
    result = result != 0 ? result : ask(remote, TT_STREAM_ATTRIBUTE_DATA_SIZE, &data_size);
    result = result != 0 ? result : ask(remote, TT_STREAM_ATTRIBUTE_FULL_POLICY, &policy);
    result = result != 0 ? result : ask(remote, TT_STREAM_ATTRIBUTE_CREATED, &created);
    if (result == 0) {
        *attr = remote->attr;
        attr->stream_min_size = (size_t)size;
        attr->max_data_size = (size_t)data_size;
        attr->stream_full_policy = (int)policy;
        time_of(remote, created, &attr->creation_time);
        attr->clock_resolution.tv_nsec =
            remote->about.tick_hz == 0u ? 0 : (long)(POSIX_NS_PER_S / remote->about.tick_hz);
    }
    return result;
}

static int get_status(posix_remote_t *remote, struct posix_trace_status_info *status)
{
    uint64_t state = 0;
    int result = ask(remote, TT_STREAM_ATTRIBUTE_STATE, &state);
    if (result == 0) {
        *status = (struct posix_trace_status_info){
            .posix_stream_status = (state & 1u) != 0u ? POSIX_TRACE_RUNNING : POSIX_TRACE_SUSPENDED,
            .posix_stream_full_status =
                (state & 2u) != 0u ? POSIX_TRACE_FULL : POSIX_TRACE_NOT_FULL,
            .posix_stream_overrun_status =
                (state & 4u) != 0u ? POSIX_TRACE_OVERRUN : POSIX_TRACE_NO_OVERRUN,
        };
    }
    return result;
}

static bool type_name(posix_remote_t *remote, trace_event_id_t event, char name[TRACE_NAME_MAX])
{
    char text[TT_BROKER_NAME_BYTES];
    uint32_t user = (uint32_t)event - POSIX_FIRST_USER;
    if (user >= TRACE_USER_EVENT_MAX || !tt_view_type_name(remote->view, user, text)) {
        return false;
    }
    size_t count = strnlen(text, TRACE_NAME_MAX - 1u);
    memcpy(name, text, count);
    name[count] = '\0';
    return true;
}

static uint32_t *list_position(posix_remote_t *remote)
{
    return &remote->list_position;
}

/* Attaching. ----------------------------------------------------------------------------------- */

static posix_remote_t *find_free(void)
{
    for (uint32_t i = 0; i < REMOTES; i++) {
        if (!remotes[i].used || remotes[i].owner != posix_process.pid) {
            return &remotes[i];
        }
    }
    return NULL;
}

static void begin(posix_remote_t *remote, tt_view_t *view, const trace_attr_t *attr)
{
    *remote = (posix_remote_t){
        .used = true,
        .owner = posix_process.pid,
        .generation = remote->generation + 1u,
        .turn = PTHREAD_MUTEX_INITIALIZER,
        .view = view,
        .attr = *attr,
    };
    tt_view_about(view, &remote->about);
    posix_reader_init(&remote->reader, next_buffer, remote);
}

/* Return whether trace.h defines this name for a stream of a target. */
static bool is_public(const char *name)
{
    static const char *const names[] = {
        TRACE_STREAM1_NAME, TRACE_STREAM2_NAME, TRACE_STREAM3_NAME,
        TRACE_STREAM4_NAME, TRACE_STREAM5_NAME, TRACE_STREAM6_NAME,
        TRACE_STREAM7_NAME, TRACE_STREAM8_NAME, RTL_KTRACE_STREAM_NAME};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Return whether a broker serves a target, or the environment names one: a public name then means a
 * stream of that target and no other. */
static bool has_target(void)
{
    (void)begin_call();
    bool found = get_caller() != NULL;
    end_call();
    return found || getenv("TICKERTAPE_BROKER") != NULL;
}

static int create(const trace_attr_t *attr, trace_id_t *trid)
{
    tt_view_t *view = NULL;
    if (tt_view_open(&view, NULL, attr->name) != 0) {
        return is_public(attr->name) && has_target() ? ESRCH : ENOENT;
    }
    (void)pthread_mutex_lock(&table);
    posix_remote_t *remote = find_free();
    if (remote != NULL) {
        begin(remote, view, attr);
        *trid = posix_trid(remote->generation, POSIX_TRID_HOST, (uint32_t)(remote - remotes));
    }
    (void)pthread_mutex_unlock(&table);
    if (remote == NULL) {
        tt_view_close(view);
        return EAGAIN;
    }
    uint64_t filter = 0;
    (void)ask(remote, TT_STREAM_ATTRIBUTE_FILTER, &filter);
    remote->hidden.bits[0] = (uint32_t)filter & 1u << POSIX_TRACE_CONTEXT_SWITCH;
    return 0;
}

static const posix_remotes_t broker_remotes = {
    .create = create,
    .find = find,
    .shutdown = shut_down,
    .get_attr = get_attr,
    .get_status = get_status,
    .type_name = type_name,
    .list_position = list_position,
    .read = read_event,
    .eventid_open = open_eventid,
    .event = emit_event,
};

const posix_remotes_t *const posix_remotes = &broker_remotes;
