/* trace_routed.h - posix_trace_event() in a firmware; <trace.h> includes it. */
#ifndef TICKERTAPE_TRACE_ROUTED_H
#define TICKERTAPE_TRACE_ROUTED_H

/* Return whether an event may have an effect: a stream takes it, or a full one would. Otherwise a
 * trace point costs one load and one branch. posix_trace_event() is a macro so that a trace point
 * has the line of its call. */
static inline bool trace_is_routed(trace_event_id_t event_id)
{
    tt_route_t *routes = &tt_route[TT_ROUTE_USER_USER];
    __asm("" : "+r"(routes)); /* makes the compiler use one base address */
    return tt_route_read(&routes[(uint32_t)event_id % TRACE_USER_EVENT_MAX]) != 0u;
}

#define posix_trace_event(event_id, data_ptr, data_len)                                            \
    __extension__({                                                                                \
        const trace_event_id_t trace_event_ = (event_id);                                          \
        const void *const trace_data_ = (data_ptr);                                                \
        const size_t trace_bytes_ = (data_len);                                                    \
        if (trace_is_routed(trace_event_)) {                                                       \
            posix_trace_event(trace_event_, trace_data_, trace_bytes_);                            \
        }                                                                                          \
    })

#endif
