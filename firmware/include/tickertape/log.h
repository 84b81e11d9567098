/*
 * tickertape/log.h - formatted messages at the cost of an event.
 *
 *     tt_logf("motor %u: %d rpm, %s", motor, speed, state_name);
 *
 * The target formats nothing: it records the address of the format and the arguments as event
 * SYSTEM LOG, and the host reads the format from the ELF file (docs/log.md). The compiler checks
 * arguments against the format as it does for printf(). The format is a string literal.
 *
 * Arguments: at most 8, of the types that printf() takes, except long double; pointers are recorded
 * as 32 bits. They are evaluated only when a stream takes the event. Up to three integers or
 * pointers take one to three records, written in one masked section. More arguments, 64-bit
 * integers, floating point and texts make a longer combine event. A text (%s: a pointer to char) is
 * recorded by its address when it is a string literal (in C) or lies in read-only memory
 * (TT_PORT_IS_READ_ONLY() of the port). Any other text is copied up to its terminating zero, or the
 * precision of its conversion: `%.*s` needs no zero, as with printf().
 *
 * Context: any but NMI and HardFault (tickertape.h); nothing blocks. Masked: at most 36
 * instructions for up to three integers or pointers, else as in add.h. Domains must not use it.
 * C11, and C++11. Without the recorder, or without class SYSTEM, a call compiles to nothing, and
 * its format is not stored.
 */
#ifndef TICKERTAPE_LOG_H
#define TICKERTAPE_LOG_H

#include <stdint.h>

#include "tickertape/add.h"
#include "tickertape/api.h"
#include "tickertape/config.h"
#include "tickertape/events.h"

/* Record a message. A statement without a value. */
#define tt_logf(...)                                                                               \
    do {                                                                                           \
        if (0) {                                                                                   \
            tt_log_check(__VA_ARGS__);                                                             \
        }                                                                                          \
        TT_LOG_RECORD(__VA_ARGS__);                                                                \
    } while (0)

/* Does nothing: the compiler checks its arguments. */
__attribute__((format(printf, 1, 2))) static inline void tt_log_check(const char *format, ...)
{
    (void)format;
}

/* Bit 0 of the first word: the second word is the types, four bits for each argument. */
#define TT_LOG_TYPED 1u

/* Types of a recorded argument. The numbers are part of the wire format; 0 ends the list. */
#define TT_LOG_WORD    1u /* a word */
#define TT_LOG_LONG    2u /* two words: 64 bits, the low word first, as the target has them */
#define TT_LOG_DOUBLE  3u /* two words: a double */
#define TT_LOG_COPIED  4u /* a word, the length in bytes; the text; zeros up to a whole word */
#define TT_LOG_LITERAL 5u /* a word: the address of a constant text; 0: no text */
/* A type that only callers pass, and how it is recorded. */
#define TT_LOG_POINTER 8u /* TT_LOG_WORD */

#define TT_LOG_ARGUMENTS_MAX 8u

TT_API_BEGIN

/* Record a message with two arguments. `route` is the route of SYSTEM LOG, not 0. Any context. */
TT_API void tt_log_two(uint32_t format, uint32_t first, uint32_t second, uint32_t route)
    TT_WITHOUT();

/* Record a message with three arguments. Any context. */
TT_API void tt_log_three(uint32_t format, uint32_t first, uint32_t second, uint32_t third)
    TT_WITHOUT();

/* Record a message with arguments of any type. `word` is the low word of the format's address;
 * `format` limits the texts that are copied by their precisions, NULL: no limits. `types` has four
 * bits for each argument, the first in bits 0-3. Any context. */
#if TT_CONFIG_ENABLED
void tt_log_typed(uint32_t word, const char *format, uint32_t types, ...);

/* Record a message with four arguments, in as many records as three; for the logs of other systems.
 * Any context. */
void tt_log_four(uint32_t format, uint32_t first, uint32_t second, uint32_t third, uint32_t fourth);

/* Record a message as a payload of `count` words, the format first (docs/log.md); for the logs of
 * other systems. Any context. */
void tt_log_words(const uint32_t *words, uint32_t count);
#endif

TT_API_END

#if TT_CONFIG_ENABLED

#define TT_LOG_HEADER TT_ADD_HEADER(TT_CLASS_SYSTEM, TT_SYSTEM_LOG)

#ifdef __cplusplus

TT_CPP_BEGIN

/* Type of an argument (TT_LOG_...), and its value if it is one word. */
template <typename Value> struct tt_log_argument {
    static const uint32_t type = sizeof(Value) > sizeof(uint32_t) ? TT_LOG_LONG : TT_LOG_WORD;
    static uint32_t word(Value value)
    {
        return static_cast<uint32_t>(value);
    }
};

template <typename Object> struct tt_log_argument<Object *> {
    static const uint32_t type = TT_LOG_POINTER;
    static uint32_t word(const volatile void *object)
    {
        return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(object));
    }
};

struct tt_log_no_word {
    template <typename Value> static uint32_t word(Value)
    {
        return 0u;
    }
};

template <> struct tt_log_argument<float> : tt_log_no_word {
    static const uint32_t type = TT_LOG_DOUBLE;
};

template <> struct tt_log_argument<double> : tt_log_no_word {
    static const uint32_t type = TT_LOG_DOUBLE;
};

template <> struct tt_log_argument<char *> : tt_log_no_word {
    static const uint32_t type = TT_LOG_COPIED;
};

template <> struct tt_log_argument<const char *> : tt_log_no_word {
    static const uint32_t type = TT_LOG_COPIED;
};

/* Declared only. It takes its argument by value, so that the type of an array is a pointer. */
template <typename Value> Value tt_log_passed(Value);

template <typename Value> inline uint32_t tt_log_word_of(Value value)
{
    return tt_log_argument<Value>::word(value);
}

TT_CPP_END

#define TT_LOG_TYPE_OF(value) (tt_log_argument<decltype(tt_log_passed(value))>::type)
#define TT_LOG_WORD_OF(value) tt_log_word_of(value)
/* Literals are not distinguished: testing whether an argument is constant would evaluate it. */
#define TT_LOG_KIND(value)    TT_LOG_TYPE_OF(value)

#else

#define TT_LOG_INTEGER (sizeof(long) > sizeof(uint32_t) ? TT_LOG_LONG : TT_LOG_WORD)

/* clang-format off */
#define TT_LOG_TYPE_OF(value)                                                                      \
    _Generic((value),                                                                              \
        _Bool: TT_LOG_WORD, char: TT_LOG_WORD, signed char: TT_LOG_WORD,                           \
        unsigned char: TT_LOG_WORD, short: TT_LOG_WORD, unsigned short: TT_LOG_WORD,               \
        int: TT_LOG_WORD, unsigned: TT_LOG_WORD, long: TT_LOG_INTEGER,                             \
        unsigned long: TT_LOG_INTEGER, long long: TT_LOG_LONG, unsigned long long: TT_LOG_LONG,    \
        float: TT_LOG_DOUBLE, double: TT_LOG_DOUBLE, char *: TT_LOG_COPIED,                        \
        const char *: TT_LOG_COPIED, default: TT_LOG_POINTER)
#define TT_LOG_WORD_OF(value)                                                                      \
    ((uint32_t)(uintptr_t)_Generic((value), float: 0u, double: 0u, default: (value)))
/* clang-format on */

/* Type of an argument, four bits. The compiler recognises a literal as constant. */
#define TT_LOG_KIND(value)                                                                         \
    (TT_LOG_TYPE_OF(value) == TT_LOG_COPIED && __builtin_constant_p(value)                         \
         ? TT_LOG_LITERAL                                                                          \
         : TT_LOG_TYPE_OF(value))
#endif

#define TT_LOG_IS_WORD(value)                                                                      \
    (TT_LOG_TYPE_OF(value) == TT_LOG_WORD || TT_LOG_TYPE_OF(value) == TT_LOG_POINTER)

/* The format lies at an even address, which leaves bit 0 to TT_LOG_TYPED. */
#define TT_LOG_RECORD(...)                                                                         \
    TT_LOG_JOIN(TT_LOG_, TT_LOG_PICK(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0))(__VA_ARGS__)
#define TT_LOG_PICK(format, a, b, c, d, e, f, g, h, count, ...) count
#define TT_LOG_JOIN(left, right)                                TT_LOG_JOINED(left, right)
#define TT_LOG_JOINED(left, right)                              left##right
#define TT_LOG_BEGIN(format)                                                                       \
    static const char tt_log_format_[] __attribute__((aligned(2))) = format;                       \
    const uint32_t tt_log_route_ = tt_add_route(TT_CLASS_SYSTEM, TT_SYSTEM_LOG);                   \
    if (tt_log_route_ != 0u)
#define TT_LOG_FORMAT ((uint32_t)(uintptr_t)tt_log_format_)

#define TT_LOG_0(format)                                                                           \
    TT_LOG_BEGIN(format)                                                                           \
    {                                                                                              \
        tt_record(TT_LOG_FORMAT, 0u, TT_LOG_HEADER, tt_log_route_);                                \
    }

#define TT_LOG_1(format, a)                                                                        \
    TT_LOG_BEGIN(format)                                                                           \
    {                                                                                              \
        if (TT_LOG_IS_WORD(a)) {                                                                   \
            tt_record(TT_LOG_FORMAT, TT_LOG_WORD_OF(a), TT_LOG_HEADER, tt_log_route_);             \
        } else {                                                                                   \
            tt_log_typed(TT_LOG_FORMAT, tt_log_format_, TT_LOG_KIND(a), a);                        \
        }                                                                                          \
    }

#define TT_LOG_2(format, a, b)                                                                     \
    TT_LOG_BEGIN(format)                                                                           \
    {                                                                                              \
        if (TT_LOG_IS_WORD(a) && TT_LOG_IS_WORD(b)) {                                              \
            tt_log_two(TT_LOG_FORMAT, TT_LOG_WORD_OF(a), TT_LOG_WORD_OF(b), tt_log_route_);        \
        } else {                                                                                   \
            tt_log_typed(TT_LOG_FORMAT, tt_log_format_, TT_LOG_KINDS_2(a, b), a, b);               \
        }                                                                                          \
    }

#define TT_LOG_3(format, a, b, c)                                                                  \
    TT_LOG_BEGIN(format)                                                                           \
    {                                                                                              \
        if (TT_LOG_IS_WORD(a) && TT_LOG_IS_WORD(b) && TT_LOG_IS_WORD(c)) {                         \
            tt_log_three(TT_LOG_FORMAT, TT_LOG_WORD_OF(a), TT_LOG_WORD_OF(b), TT_LOG_WORD_OF(c));  \
        } else {                                                                                   \
            tt_log_typed(TT_LOG_FORMAT, tt_log_format_, TT_LOG_KINDS_3(a, b, c), a, b, c);         \
        }                                                                                          \
    }

#define TT_LOG_LONGER(format, types, ...)                                                          \
    TT_LOG_BEGIN(format)                                                                           \
    {                                                                                              \
        tt_log_typed(TT_LOG_FORMAT, tt_log_format_, types, __VA_ARGS__);                           \
    }
#define TT_LOG_4(format, a, b, c, d) TT_LOG_LONGER(format, TT_LOG_KINDS_4(a, b, c, d), a, b, c, d)
#define TT_LOG_5(format, a, b, c, d, e)                                                            \
    TT_LOG_LONGER(format, TT_LOG_KINDS_5(a, b, c, d, e), a, b, c, d, e)
#define TT_LOG_6(format, a, b, c, d, e, f)                                                         \
    TT_LOG_LONGER(format, TT_LOG_KINDS_6(a, b, c, d, e, f), a, b, c, d, e, f)
#define TT_LOG_7(format, a, b, c, d, e, f, g)                                                      \
    TT_LOG_LONGER(format, TT_LOG_KINDS_7(a, b, c, d, e, f, g), a, b, c, d, e, f, g)
#define TT_LOG_8(format, a, b, c, d, e, f, g, h)                                                   \
    TT_LOG_LONGER(format, TT_LOG_KINDS_7(a, b, c, d, e, f, g) | TT_LOG_KIND(h) << 28, a, b, c, d,  \
                  e, f, g, h)

#define TT_LOG_KINDS_2(a, b)             (TT_LOG_KIND(a) | TT_LOG_KIND(b) << 4)
#define TT_LOG_KINDS_3(a, b, c)          (TT_LOG_KINDS_2(a, b) | TT_LOG_KIND(c) << 8)
#define TT_LOG_KINDS_4(a, b, c, d)       (TT_LOG_KINDS_3(a, b, c) | TT_LOG_KIND(d) << 12)
#define TT_LOG_KINDS_5(a, b, c, d, e)    (TT_LOG_KINDS_4(a, b, c, d) | TT_LOG_KIND(e) << 16)
#define TT_LOG_KINDS_6(a, b, c, d, e, f) (TT_LOG_KINDS_5(a, b, c, d, e) | TT_LOG_KIND(f) << 20)
#define TT_LOG_KINDS_7(a, b, c, d, e, f, g)                                                        \
    (TT_LOG_KINDS_6(a, b, c, d, e, f) | TT_LOG_KIND(g) << 24)

#else
#define TT_LOG_RECORD(...) ((void)0)
#endif

#endif
