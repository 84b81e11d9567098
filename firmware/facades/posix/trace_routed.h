/* trace_routed.h - posix_trace_event() in a firmware; <trace.h> includes it. */
#ifndef TICKERTAPE_TRACE_ROUTED_H
#define TICKERTAPE_TRACE_ROUTED_H

/* An event that no stream takes, and that no full one would take, costs a load and a branch at its
 * place. A macro, so that the place has the line of its call. */
static inline bool trace_is_routed(trace_event_id_t event_id)
{
    tt_route_t *routes = &tt_route[TT_ROUTE_USER_USER];
    __asm("" : "+r"(routes)); /* one address to count from */
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
