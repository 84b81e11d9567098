/* posix_trace_event() and the functions that it calls in the traced process. */
#include <string.h>

#include "posix_stream.h"
#include "tickertape/add.h"
#include "tickertape/define.h"
#include "tickertape/events.h"

_Static_assert(TT_ROUTE_USER_OTHER - TT_ROUTE_USER_USER >= TRACE_USER_EVENT_MAX,
               "each user event type has a route of its own");

#define WORD_BYTES ((uint32_t)sizeof(uint32_t))

/* Return the streams that trace the caller and have a user event type selected. */
static uint32_t route_of(uint32_t user)
{
    return __atomic_load_n(&tt_route[TT_ROUTE_USER_USER + user], __ATOMIC_RELAXED) &
           posix_port_traced();
}

static uint32_t first_of(uint32_t streams)
{
    return (uint32_t)__builtin_ctz(streams);
}

/* Return those of `streams` that have stopped because they were full; their routes follow later. */
static uint32_t stopped_of(uint32_t streams)
{
    uint32_t limited = atomic_load_explicit(&posix_limits.limited, memory_order_relaxed);
    uint32_t stopped = 0;
    for (uint32_t rest = streams & limited; rest != 0u; rest &= rest - 1u) {
        stopped |= tt_is_running(first_of(rest)) ? 0u : rest & -rest;
    }
    return stopped;
}

/* Return the streams with the same data limit as the first one, and store that limit: they get the
 * same records. */
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

/* Return the streams that take the event and have not stopped. */
static uint32_t takers_of(uint32_t user)
{
    bool is_known = user == 0u || tt_definition(user) != TT_UNDEFINED;
    uint32_t streams = is_known ? route_of(user) : 0u;
    return streams & ~stopped_of(streams);
}

static uint32_t header_of(uint32_t user, const posix_port_origin_t *origin)
{
    return TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, 0u, TT_CLASS_USER, user) | origin->header;
}

/* Record an event with up to four bytes of data after an origin of two words, the common case in a
 * firmware. Returns the streams for which the caller has to call record_rest(). */
static uint32_t record_pair(uint32_t user, uint32_t streams, posix_port_origin_t *origin,
                            const uint8_t *data, uint32_t bytes)
{
    uint32_t narrow = atomic_load_explicit(&posix_limits.narrow, memory_order_relaxed);
    if (origin->word_count != 2u || (narrow & streams) != 0u) {
        return streams;
    }
    uint32_t word = 0;
    if (bytes == WORD_BYTES) {
        memcpy(&word, data, WORD_BYTES); /* constant length: one load */
    } else {
        for (uint32_t i = 0; i < bytes; i++) {
            ((uint8_t *)&word)[i] = data[i];
        }
    }
    origin->words[2] = word;
    return tt_record_pair(header_of(user, origin), streams, origin->words, 2u * WORD_BYTES + bytes);
}

/* Record an event in those of `streams` that take it now, and return them. */
static uint32_t record_rest(uint32_t user, uint32_t streams, const posix_port_origin_t *origin,
                            const void *data, size_t bytes)
{
    uint32_t key = posix_port_begin_event();
    uint32_t takers = streams & takers_of(user);
    uint32_t rest = takers;
    while (rest != 0u) {
        uint32_t limit;
        uint32_t equal = equal_limits(rest, &limit);
        bool cut = bytes > limit;
        tt_record_payload(header_of(user, origin) | (cut ? TT_RECORD_TRUNCATED_MASK : 0u), equal,
                          origin->words, origin->word_count, data, cut ? limit : (uint32_t)bytes);
        rest &= ~equal;
    }
    posix_port_end_event(key);
    return takers;
}

/* Mark the streams of `limited` that have the event selected as overrun: they did not take it
 * because they were full. */
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
    uint32_t user = (uint32_t)event - POSIX_FIRST_USER;
    uint32_t streams = takers_of(user);
    uint32_t left = streams;
    bytes = data == NULL ? 0u : bytes;
    posix_port_origin(address, &origin);
    if (bytes <= WORD_BYTES && streams != 0u) {
        left = record_pair(user, streams, &origin, data, (uint32_t)bytes);
    }
    if (left != 0u) {
        streams = (streams & ~left) | record_rest(user, left, &origin, data, bytes);
    }
    uint32_t waiting = atomic_load(&posix_limits.waiting) & streams;
    if (waiting != 0u) {
        posix_port_wake(waiting);
    }
    return streams;
}

/* Not inlined, so that the return address is the place of the trace point. The name is in
 * parentheses because a firmware has a macro of this name, which calls the function if the event
 * may have an effect. */
void __attribute__((noinline)) (posix_trace_event)(trace_event_id_t event_id,
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
