/*
 * tickertape/add.h - record an event of any class and number.
 *
 * The generated emitters (emitters.h) are for events that the project knows; these functions are
 * for all others, and for class and event chosen at run time. Class: 0 to 31. Event: 0 to 1023;
 * others record nothing. If both are constants, the compiler computes the route. Any context but
 * NMI and HardFault (tickertape.h); nothing blocks. Masked: 56 a record, up to 143 when a ring
 * switches its buffer.
 *
 * A simple event is one record. Bytes and texts are combine events; the host gets them byte for
 * byte. To record piece by piece, use tt_combine_begin/add/end (combine.h).
 */
#ifndef TICKERTAPE_ADD_H
#define TICKERTAPE_ADD_H

#include <stdint.h>

#include "tickertape/api.h"
#include "tickertape/config.h"
#include "tickertape/emit.h"
#include "tickertape/events.h"

TT_API_BEGIN

/* Record a combine event: `word_count` words, then `byte_count` bytes. `route` is the route of the
 * event type. The functions below call it. */
TT_API void tt_record_payload(uint32_t header, uint32_t route, const uint32_t *words,
                              uint32_t word_count, const void *bytes, uint32_t byte_count)
    TT_WITHOUT();

/*
 * Record a combine event of 8 to 12 bytes, at most three words, in one masked section: BEGIN and
 * END follow each other in each ring, and no thread can move in between. `streams` contains only
 * the stream bits of a route. Returns the streams that did not take the event, because their rings
 * have to open a buffer first or an event that began at the same tick is open; record it there by
 * tt_record_payload(). Masked: 40 for one stream, 20 for each further one.
 */
TT_API uint32_t tt_record_pair(uint32_t header, uint32_t streams, const uint32_t words[3],
                               uint32_t bytes) TT_WITHOUT(0u);

/* Return the route of an event type; 0: no stream takes it. */
static inline uint32_t tt_add_route(uint32_t event_class, uint32_t event)
{
#if TT_CONFIG_ENABLED
    return event_class < TT_CLASS_COUNT && event <= TT_RECORD_EVENT_MASK &&
                   TT_CLASS_BUILT_IN(event_class)
               ? tt_route_load(tt_route_index(event_class, event))
               : 0u;
#else
    (void)event_class;
    (void)event;
    return 0u;
#endif
}

#define TT_ADD_HEADER(event_class, event)                                                          \
    TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, 0u, event_class, event)

/* Record a simple event of two words. */
static inline void tt_add_event(uint32_t event_class, uint32_t event, uint32_t data0,
                                uint32_t data1)
{
    uint32_t route = tt_add_route(event_class, event);
    if (route != 0u) {
        tt_record(data0, data1, TT_ADD_HEADER(event_class, event), route);
    }
}

/* Record a simple event on behalf of a domain, 1 to 63; 0 is the kernel core. */
static inline void tt_add_domain_event(uint32_t domain, uint32_t event_class, uint32_t event,
                                       uint32_t data0, uint32_t data1)
{
    uint32_t route = tt_add_route(event_class, event);
    if (route != 0u) {
        tt_record(data0, data1, TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, domain, event_class, event),
                  route);
    }
}

/* Record `byte_count` contiguous bytes, of any number. */
static inline void tt_add_buffer(uint32_t event_class, uint32_t event, const void *bytes,
                                 uint32_t byte_count)
{
    uint32_t route = tt_add_route(event_class, event);
    if (route != 0u) {
        tt_record_payload(TT_ADD_HEADER(event_class, event), route, (const uint32_t *)0, 0, bytes,
                          byte_count);
    }
}

/* Record a zero-terminated text, without the zero. NULL records an empty text. */
TT_API void tt_add_string(uint32_t event_class, uint32_t event, const char *text) TT_WITHOUT();

/* Record one word, then a text. */
TT_API void tt_add_d1_string(uint32_t event_class, uint32_t event, uint32_t data0, const char *text)
    TT_WITHOUT();

/* Record two words, then a text. */
TT_API void tt_add_d2_string(uint32_t event_class, uint32_t event, uint32_t data0, uint32_t data1,
                             const char *text) TT_WITHOUT();

TT_API_END

#endif
