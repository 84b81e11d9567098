/* posix_trace_event(): what a traced process pays for. */
#include <string.h>

#include "posix_stream.h"
#include "tickertape/add.h"
#include "tickertape/define.h"
#include "tickertape/events.h"

/* Streams of the caller that take the event. */
static uint32_t route_of(uint32_t user)
{
    uint32_t route =
        __atomic_load_n(&tt_route[tt_route_index(TT_CLASS_USER, user)], __ATOMIC_RELAXED);
    return route & posix_port_traced();
}

static uint32_t first_of(uint32_t streams)
{
    return (uint32_t)__builtin_ctz(streams);
}

/* Of those that stop when they are full, the ones that have: their routes lag behind. */
static uint32_t stopped_of(uint32_t streams)
{
    uint32_t limited = atomic_load_explicit(&posix_limits.limited, memory_order_relaxed);
    uint32_t stopped = 0;
    for (uint32_t rest = streams & limited; rest != 0u; rest &= rest - 1u) {
        stopped |= tt_is_running(first_of(rest)) ? 0u : rest & -rest;
    }
    return stopped;
}

/* Streams whose limit is the same as that of the first one; they get the same records. */
static uint32_t equal_limits(uint32_t streams, uint32_t *limit)
{
    uint32_t equal = 0;
    *limit =
        atomic_load_explicit(&posix_limits.max_data_bytes[first_of(streams)], memory_order_relaxed);
    for (uint32_t rest = streams; rest != 0u; rest &= rest - 1u) {
        uint32_t stream = first_of(rest);
        uint32_t other =
            atomic_load_explicit(&posix_limits.max_data_bytes[stream], memory_order_relaxed);
        equal |= other == *limit ? 1u << stream : 0u;
    }
    return equal;
}

static void record(uint32_t user, uint32_t streams, const posix_port_origin_t *origin,
                   const void *data, uint32_t bytes, bool cut)
{
    uint32_t header = TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, 0u, TT_CLASS_USER, user) |
                      origin->header | (cut ? TT_RECORD_TRUNCATED_MASK : 0u);
    tt_record_payload(header, streams, origin->words, origin->word_count, data, bytes);
}

static uint32_t record_all(uint32_t user, const posix_port_origin_t *origin, const void *data,
                           size_t bytes)
{
    uint32_t key = posix_port_begin_event();
    bool is_known = user == 0u || tt_definition(user) != TT_UNDEFINED;
    uint32_t streams = is_known ? route_of(user) : 0u;
    streams &= ~stopped_of(streams);
    uint32_t rest = streams;
    while (rest != 0u) {
        uint32_t limit;
        uint32_t equal = equal_limits(rest, &limit);
        bool cut = bytes > limit;
        record(user, equal, origin, data, cut ? limit : (uint32_t)bytes, cut);
        rest &= ~equal;
    }
    posix_port_end_event(key);
    return streams;
}

/* A stream that was started and did not take the event was full, or filters it out. */
static void refuse(uint32_t user, uint32_t limited)
{
    for (uint32_t rest = limited & posix_port_traced(); rest != 0u; rest &= rest - 1u) {
        uint32_t stream = first_of(rest);
        if (tt_selected(stream, TT_CLASS_USER, user)) {
            (void)atomic_fetch_or(&posix_limits.refused, 1u << stream);
        }
    }
}

uint32_t posix_event_record(trace_event_id_t event, const void *address, const void *data,
                            size_t bytes)
{
    posix_port_origin_t origin;
    posix_port_origin(address, &origin);
    uint32_t streams =
        record_all((uint32_t)event - POSIX_FIRST_USER, &origin, data, data == NULL ? 0u : bytes);
    uint32_t waiting = atomic_load(&posix_limits.waiting) & streams;
    if (waiting != 0u) {
        posix_port_wake(waiting);
    }
    return streams;
}

/* Not inlined, so that the return address is the place of the trace point. */
void __attribute__((noinline)) posix_trace_event(trace_event_id_t event_id,
                                                 const void *restrict data_ptr, size_t data_len)
{
    const void *address = __builtin_return_address(0);
    uint32_t user = (uint32_t)event_id - POSIX_FIRST_USER;
    if (user >= TRACE_USER_EVENT_MAX) {
        return;
    }
    uint32_t streams = route_of(user);
    if (streams != 0u && posix_port_before_event(event_id, address, data_ptr, data_len)) {
        streams = posix_event_record(event_id, address, data_ptr, data_len);
    }
    uint32_t limited = atomic_load_explicit(&posix_limits.limited, memory_order_relaxed);
    if ((limited & ~streams) != 0u) {
        refuse(user, limited & ~streams);
    }
    posix_remote_event(event_id, address, data_ptr, data_len);
}
