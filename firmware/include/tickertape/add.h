/*
 * tickertape/add.h - record an event of any class and number.
 *
 * The generated emitters (emitters.h) are for events that the project knows; these functions
 * are for all others, and for class and event chosen at run time. Threads and interrupts of
 * every priority; nothing blocks. Masked: 56 a record, up to 143 where a ring switches its buffer.
 * Where class and event are constants the route is found at
 * compile time.
 *
 * A simple event is one record. Bytes and texts are combine events and come back byte for byte.
 * To record piece by piece, use tt_combine_begin/add/end (combine.h).
 */
#ifndef TICKERTAPE_ADD_H
#define TICKERTAPE_ADD_H

#include <stdint.h>

#include "tickertape/api.h"
#include "tickertape/config.h"
#include "tickertape/emit.h"
#include "tickertape/events.h"

TT_API_BEGIN

/* Record `word_count` words, then `byte_count` bytes, as one combine event. For the inlines. */
TT_API void tt_record_payload(uint32_t header, uint32_t route, const uint32_t *words,
                              uint32_t word_count, const void *bytes, uint32_t byte_count)
    TT_WITHOUT();

/*
 * Record a combine event of 8 to 12 bytes, at most three words, in one masked section: BEGIN and
 * END follow each other in each ring, and no thread can move in between. `streams` has no other
 * bits of a route. Returns the streams that did not take it: their rings have to open a buffer
 * first, or an event is open since the same tick. tt_record_payload() records it there. Masked: 40
 * for one stream, 20 for each further one.
 */
TT_API uint32_t tt_record_pair(uint32_t header, uint32_t streams, const uint32_t words[3],
                               uint32_t bytes) TT_WITHOUT(0u);

static inline uint32_t tt_add_route(uint32_t event_class, uint32_t event)
{
#if TT_CONFIG_ENABLED
    return TT_CLASS_BUILT_IN(event_class) ? tt_route_load(tt_route_index(event_class, event)) : 0u;
#else
    (void)event_class;
    (void)event;
    return 0u;
#endif
}

#define TT_ADD_HEADER(event_class, event)                                                          \
    TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, 0u, event_class, event)

/* A simple event: two words. */
static inline void tt_add_event(uint32_t event_class, uint32_t event, uint32_t data0,
                                uint32_t data1)
{
    uint32_t route = tt_add_route(event_class, event);
    if (route != 0u) {
        tt_record(data0, data1, TT_ADD_HEADER(event_class, event), route);
    }
}

/* The same on behalf of a domain: 1 to 63; 0 is the kernel core. */
static inline void tt_add_domain_event(uint32_t domain, uint32_t event_class, uint32_t event,
                                       uint32_t data0, uint32_t data1)
{
    uint32_t route = tt_add_route(event_class, event);
    if (route != 0u) {
        tt_record(data0, data1, TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, domain, event_class, event),
                  route);
    }
}

/* Any contiguous bytes, as many as there are. */
static inline void tt_add_buffer(uint32_t event_class, uint32_t event, const void *bytes,
                                 uint32_t byte_count)
{
    uint32_t route = tt_add_route(event_class, event);
    if (route != 0u) {
        tt_record_payload(TT_ADD_HEADER(event_class, event), route, (const uint32_t *)0, 0, bytes,
                          byte_count);
    }
}

/* A text, without its end mark. */
TT_API void tt_add_string(uint32_t event_class, uint32_t event, const char *text) TT_WITHOUT();

/* One word, then a text. */
TT_API void tt_add_d1_string(uint32_t event_class, uint32_t event, uint32_t data0, const char *text)
    TT_WITHOUT();

/* Two words, then a text. */
TT_API void tt_add_d2_string(uint32_t event_class, uint32_t event, uint32_t data0, uint32_t data1,
                             const char *text) TT_WITHOUT();

TT_API_END

#endif
