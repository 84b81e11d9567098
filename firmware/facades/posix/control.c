/* Filter, attributes and status of a stream. */
#include <errno.h>

#include "posix_stream.h"
#include "tickertape/events.h"
#include "tickertape/port.h"

int posix_trace_get_filter(trace_id_t trid, trace_event_set_t *set)
{
    posix_port_lock();
    const posix_stream_t *stream = posix_stream_of(trid);
    int result = stream == NULL || set == NULL ? EINVAL : 0;
    if (result == 0) {
        *set = stream->filter;
    }
    posix_port_unlock();
    return result;
}

void posix_record_error(const posix_stream_t *stream, int error)
{
    const uint32_t words[2] = {(uint32_t)error, 0};
    if (posix_stream_is_running(stream)) {
        posix_record(stream, POSIX_TRACE_ERROR, words, 2);
    }
}

void posix_record_errors_in(uint32_t streams, int error)
{
    for (uint32_t rest = streams; rest != 0u; rest &= rest - 1u) {
        posix_record_error(&posix_streams[__builtin_ctz(rest)], error);
    }
}

void posix_record_errors(int error)
{
    posix_record_errors_in(posix_port_traced(), error);
}

/* Return the filter after a change; `how` is the parameter of posix_trace_set_filter(). */
static trace_event_set_t combine(const trace_event_set_t *old, const trace_event_set_t *set,
                                 int how)
{
    trace_event_set_t result;
    for (uint32_t i = 0; i < 2u; i++) {
        result.bits[i] = how == POSIX_TRACE_SET_EVENTSET   ? set->bits[i]
                         : how == POSIX_TRACE_ADD_EVENTSET ? old->bits[i] | set->bits[i]
                                                           : old->bits[i] & ~set->bits[i];
    }
    return result;
}

/* Store a filter and select the events that it lets through. The event FILTER is recorded according
 * to the old filter. */
static void apply(posix_stream_t *stream, const trace_event_set_t *set)
{
    uint32_t number = posix_stream_number(stream);
    const uint32_t words[] = {
        number, 0, stream->filter.bits[0], stream->filter.bits[1], set->bits[0], set->bits[1]};
    if (posix_stream_is_running(stream)) {
        posix_record(stream, POSIX_TRACE_FILTER, words, 6);
    }
    stream->filter = *set;
    for (uint32_t user = 0; user < TRACE_USER_EVENT_MAX; user++) {
        bool take = posix_takes(stream, (trace_event_id_t)(POSIX_FIRST_USER + user));
        if (tt_selected(number, TT_CLASS_USER, user) != take) {
            (void)tt_select_event(number, TT_CLASS_USER, user, take);
        }
    }
    posix_select_system(number, &stream->filter);
}

int posix_trace_set_filter(trace_id_t trid, const trace_event_set_t *set, int how)
{
    if (set == NULL || how < POSIX_TRACE_SET_EVENTSET || how > POSIX_TRACE_SUB_EVENTSET) {
        return EINVAL;
    }
    posix_port_lock();
    posix_stream_t *stream = posix_stream_of(trid);
    if (stream != NULL) {
        const trace_event_set_t changed = combine(&stream->filter, set, how);
        apply(stream, &changed);
    }
    posix_port_unlock();
    return stream == NULL ? EINVAL : 0;
}

int posix_trace_get_attr(trace_id_t trid, trace_attr_t *attr)
{
    posix_remote_t *remote = posix_remote_of(trid);
    if (remote != NULL && attr != NULL) {
        return posix_remotes->get_attr(remote, attr);
    }
    posix_port_lock();
    const posix_stream_t *stream = posix_stream_of(trid);
    const posix_tape_t *tape = posix_tape_of(trid);
    int result = attr == NULL || (stream == NULL && tape == NULL) ? EINVAL : 0;
    if (result == 0 && stream != NULL) {
        *attr = stream->attr;
    } else if (result == 0) {
        posix_tape_get_attr(tape, attr);
    }
    posix_port_unlock();
    return result;
}

/* Return whether events were lost since the last status. */
static bool take_overrun(posix_stream_t *stream)
{
    uint32_t bit = 1u << posix_stream_number(stream);
    uint64_t losses = posix_stream_losses(stream);
    bool overrun = losses != stream->losses_reported;
    stream->losses_reported = losses;
    return (atomic_fetch_and(&posix_limits.refused, ~bit) & bit) != 0u || overrun;
}

static void fill_status(posix_stream_t *stream, struct posix_trace_status_info *status)
{
    posix_log_t *log = &stream->log;
    *status = (struct posix_trace_status_info){
        .posix_stream_status =
            posix_stream_is_running(stream) ? POSIX_TRACE_RUNNING : POSIX_TRACE_SUSPENDED,
        .posix_stream_full_status =
            posix_stream_is_full(stream) ? POSIX_TRACE_FULL : POSIX_TRACE_NOT_FULL,
        .posix_stream_overrun_status =
            take_overrun(stream) ? POSIX_TRACE_OVERRUN : POSIX_TRACE_NO_OVERRUN,
        .posix_stream_flush_status =
            log->flushing ? POSIX_TRACE_FLUSHING : POSIX_TRACE_NOT_FLUSHING,
        .posix_stream_flush_error = log->flush_error,
        .posix_log_overrun_status = log->overrun ? POSIX_TRACE_OVERRUN : POSIX_TRACE_NO_OVERRUN,
        .posix_log_full_status = log->full ? POSIX_TRACE_FULL : POSIX_TRACE_NOT_FULL,
    };
    log->flush_error = 0;
    log->overrun = false;
}

int posix_trace_get_status(trace_id_t trid, struct posix_trace_status_info *statusinfo)
{
    posix_remote_t *remote = posix_remote_of(trid);
    if (remote != NULL && statusinfo != NULL) {
        return posix_remotes->get_status(remote, statusinfo);
    }
    posix_port_lock();
    posix_stream_t *stream = posix_stream_of(trid);
    const posix_tape_t *tape = posix_tape_of(trid);
    int result = statusinfo == NULL || (stream == NULL && tape == NULL) ? EINVAL : 0;
    if (result == 0 && stream != NULL) {
        fill_status(stream, statusinfo);
    } else if (result == 0) {
        posix_tape_get_status(tape, statusinfo);
    }
    posix_port_unlock();
    return result;
}
