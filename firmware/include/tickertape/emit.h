/*
 * tickertape/emit.h - the macros that the emitters expand to.
 *
 * The generated emitters (emitters.h) call these macros; no other code does. An event that no
 * stream takes costs one load and one branch. A class that is not built in (TT_CONFIG_CLASSES), and
 * the whole tracer when TT_CONFIG_ENABLED is 0, leave no code.
 */
#ifndef TICKERTAPE_EMIT_H
#define TICKERTAPE_EMIT_H

#include <stdint.h>

#include "tickertape/api.h"
#include "tickertape/config.h"
#include "tickertape/events.h"
#include "tickertape/wire.h"

/* Mark the variables of words that are not recorded as used; makes no code. */
#ifdef __cplusplus
TT_CPP_BEGIN
template <typename... Words> char tt_not_evaluated(const Words &...words);
TT_CPP_END
#define TT_NOT_EVALUATED(...) ((void)sizeof(tt_not_evaluated(__VA_ARGS__)))
#else
#define TT_NOT_EVALUATED(...) ((void)sizeof((const uint32_t[]){__VA_ARGS__}))
#endif

TT_API_BEGIN

/*
 * Stamp one simple event and store it in the streams of `route`. `header` contains class and event;
 * the recorder adds the CPU. The words are the first parameters because the caller of an emitter
 * already has them in these registers. Any context; never blocks.
 */
TT_API void tt_record(uint32_t data0, uint32_t data1, uint32_t header, uint32_t route) TT_WITHOUT();

/* Route of an event type that goes to stream 0 alone, without filters: the common case. */
#define TT_ROUTE_STREAM_0 1u

/*
 * Record two events of one object with the same time stamp, both with the route TT_ROUTE_STREAM_0:
 * the entry of a kernel call, whose second word is 0, and its operation on the object. Costs little
 * more than one event. Any context; never blocks.
 */
TT_API void tt_record_two(uint32_t object, uint32_t word, uint32_t call_header, uint32_t header)
    TT_WITHOUT();

/*
 * As tt_record() for a combine event: two words, then the bytes of `text` without the terminating
 * zero. `text` NULL records an empty text.
 */
TT_API void tt_record_string(uint32_t header, uint32_t route, uint32_t data0, uint32_t data1,
                             const char *text) TT_WITHOUT();

/*
 * As tt_record() for the wide form of an event type: a combine event of two words and `word_count`
 * further ones, 1 to TT_WIDE_WORDS_MAX. The first parameters are those of tt_record(), so that an
 * emitter loads them once for both calls.
 */
TT_API void tt_record_wide(uint32_t data0, uint32_t data1, uint32_t header, uint32_t route,
                           const uint32_t *words, uint32_t word_count) TT_WITHOUT();
#define TT_WIDE_WORDS_MAX 6u

#if TT_CONFIG_ENABLED

/* True when the emitters of a class are built in; a constant. */
#define TT_CLASS_BUILT_IN(event_class) ((((TT_CONFIG_CLASSES) >> (event_class)) & 1u) != 0u)

/*
 * Return the route of one event type. Each call reads the entry again, because filters change at
 * any time: the empty asm statement makes the compiler assume that the entry has changed. A
 * volatile or an atomic read would work too, but costs one instruction more (GCC extends the entry
 * once again). A thread sanitizer needs the atomic read.
 */
/* NOLINTNEXTLINE(readability-non-const-parameter): to the compiler the asm statement writes it. */
static inline uint32_t tt_route_read(tt_route_t *route)
{
#ifdef __SANITIZE_THREAD__
    return __atomic_load_n(route, __ATOMIC_RELAXED);
#else
    __asm volatile("" : "+m"(*route));
    return *route;
#endif
}

static inline uint32_t tt_route_load(uint32_t index)
{
    return tt_route_read(&tt_route[index]);
}

#define TT_EMIT2(event_class, event, index, data0, data1)                                          \
    do {                                                                                           \
        if (TT_CLASS_BUILT_IN(event_class)) {                                                      \
            uint32_t route_ = tt_route_load(index);                                                \
            if (route_ != 0u) {                                                                    \
                tt_record(data0, data1,                                                            \
                          TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, 0u, event_class, event), route_); \
            }                                                                                      \
        } else {                                                                                   \
            (void)(event);                                                                         \
            (void)(data0);                                                                         \
            (void)(data1);                                                                         \
        }                                                                                          \
    } while (0)

/*
 * Record an event type with two forms; the variable arguments are the further words of the wide
 * form. They are evaluated after the empty asm statement, which keeps the compiler from hoisting
 * their loads into the common path.
 */
#define TT_EMIT_WIDE(event_class, event, index, data0, data1, ...)                                 \
    do {                                                                                           \
        if (TT_CLASS_BUILT_IN(event_class)) {                                                      \
            uint32_t route_ = tt_route_load(index);                                                \
            if (route_ != 0u) {                                                                    \
                const uint32_t header_ =                                                           \
                    TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, 0u, event_class, event);                \
                if (__builtin_expect((route_ & TT_ROUTE_WIDE) == 0u, 1)) {                         \
                    tt_record(data0, data1, header_, route_);                                      \
                } else {                                                                           \
                    __asm volatile("" ::: "memory");                                               \
                    const uint32_t words_[] = {__VA_ARGS__};                                       \
                    tt_record_wide(data0, data1, header_, route_, words_,                          \
                                   sizeof words_ / sizeof words_[0]);                              \
                }                                                                                  \
            }                                                                                      \
        } else {                                                                                   \
            TT_NOT_EVALUATED(event, data0, data1, __VA_ARGS__);                                    \
        }                                                                                          \
    } while (0)

#define TT_EMIT_STRING(event_class, event, index, data0, data1, text)                              \
    do {                                                                                           \
        if (TT_CLASS_BUILT_IN(event_class)) {                                                      \
            uint32_t route_ = tt_route_load(index);                                                \
            if (route_ != 0u) {                                                                    \
                tt_record_string(TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, 0u, event_class, event),   \
                                 route_, data0, data1, text);                                      \
            }                                                                                      \
        } else {                                                                                   \
            (void)(event);                                                                         \
            (void)(data0);                                                                         \
            (void)(data1);                                                                         \
            (void)(text);                                                                          \
        }                                                                                          \
    } while (0)

#else

#define TT_CLASS_BUILT_IN(event_class) (0)

#define TT_EMIT_WIDE(event_class, event, index, data0, data1, ...)                                 \
    TT_NOT_EVALUATED(event, data0, data1, __VA_ARGS__)

#define TT_EMIT2(event_class, event, index, data0, data1)                                          \
    do {                                                                                           \
        (void)(event);                                                                             \
        (void)(data0);                                                                             \
        (void)(data1);                                                                             \
    } while (0)

#define TT_EMIT_STRING(event_class, event, index, data0, data1, text)                              \
    do {                                                                                           \
        (void)(event);                                                                             \
        (void)(data0);                                                                             \
        (void)(data1);                                                                             \
        (void)(text);                                                                              \
    } while (0)

#endif

TT_API_END

#endif
