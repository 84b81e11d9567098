/*
 * Formatted messages (tickertape/log.h).
 *
 * A message of two to four words of arguments is a combine event whose records are written in one
 * masked section, without combine.c:
 *
 *     two:     BEGIN format first | END second 12
 *     three:   BEGIN format first | CONTINUE second third | END 0 16
 *     four:    BEGIN format first | CONTINUE second third | END fourth 20
 *
 * Such an event needs no key unless another message is being written by combine.c. In that case,
 * and if the buffer has no room for all records or the event has several streams or a filter,
 * combine.c writes the message.
 */
#include "tickertape/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "combine.h"
#include "filter.h"
#include "record.h"
#include "ring.h"

/* A kernel for 64-bit Arm is often built without floating point (-mgeneral-regs-only): then no call
 * can pass a double, and code that reads one does not compile. */
#if defined(__aarch64__) && !defined(__ARM_FP)
#define HAS_DOUBLE 0
#else
#define HAS_DOUBLE 1
#endif

#define WORD_BYTES ((uint32_t)sizeof(uint32_t))
#define TYPE_BITS  4u
#define TYPE_MASK  15u

#define PLACE(place) (TT_LOG_HEADER ^ TT_RECORD_FIELD(STRUCT, place))

#ifndef TT_PORT_IS_READ_ONLY
#define TT_PORT_IS_READ_ONLY(address) false
#endif

/* Number of messages that combine.c is writing, on all CPUs. */
static _Atomic uint32_t open_count;

/* Return the ring of stream 0 if it takes `count` records at once and no message is open, else
 * NULL. Interrupts are masked. */
static inline tt_ring_t *ring_with_room(uint32_t cpu, ptrdiff_t count)
{
    tt_ring_t *ring = tt_ring_of(0, cpu);
    bool is_free = atomic_load_explicit(&open_count, memory_order_relaxed) == 0u;
    return is_free && ring->limit - ring->cursor >= count ? ring : NULL;
}

/* Record a message by combine.c; `words` begin with the format. */
static void __attribute__((noinline)) write_slowly(const uint32_t *words, uint32_t count,
                                                   uint32_t route)
{
    atomic_fetch_add_explicit(&open_count, 1u, memory_order_relaxed);
    tt_record_payload(TT_LOG_HEADER, route, words, count, NULL, 0);
    atomic_fetch_sub_explicit(&open_count, 1u, memory_order_relaxed);
}

void tt_log_two(uint32_t format, uint32_t first, uint32_t second, uint32_t route)
{
    if (route == TT_ROUTE_STREAM_0) {
        tt_port_key_t key = tt_port_lock();
        uint32_t cpu = tt_port_cpu();
        tt_ring_t *ring = ring_with_room(cpu, 2);
        if (ring != NULL) {
            uint32_t time = tt_port_ticks();
            tt_record_store(ring, tt_record_with_cpu(PLACE(TT_RECORD_BEGIN), cpu), time, format,
                            first);
            tt_record_store(ring, tt_record_with_cpu(PLACE(TT_RECORD_END), cpu), time, second,
                            3u * WORD_BYTES);
            tt_port_unlock(key);
            return;
        }
        tt_port_unlock(key);
    }
    const uint32_t words[] = {format, first, second};
    write_slowly(words, 3, route);
}

void tt_log_three(uint32_t format, uint32_t first, uint32_t second, uint32_t third)
{
    uint32_t route = tt_route_load(TT_ROUTE_SYSTEM_LOG);
    if (route == TT_ROUTE_STREAM_0) {
        tt_port_key_t key = tt_port_lock();
        uint32_t cpu = tt_port_cpu();
        tt_ring_t *ring = ring_with_room(cpu, 3);
        if (ring != NULL) {
            uint32_t time = tt_port_ticks();
            tt_record_store(ring, tt_record_with_cpu(PLACE(TT_RECORD_BEGIN), cpu), time, format,
                            first);
            tt_record_store(ring, tt_record_with_cpu(PLACE(TT_RECORD_CONTINUE), cpu), time, second,
                            third);
            tt_record_store(ring, tt_record_with_cpu(PLACE(TT_RECORD_END), cpu), time, 0,
                            4u * WORD_BYTES);
            tt_port_unlock(key);
            return;
        }
        tt_port_unlock(key);
    }
    const uint32_t words[] = {format, first, second, third};
    write_slowly(words, 4, route);
}

void tt_log_four(uint32_t format, uint32_t first, uint32_t second, uint32_t third, uint32_t fourth)
{
    uint32_t route = tt_route_load(TT_ROUTE_SYSTEM_LOG);
    if (route == TT_ROUTE_STREAM_0) {
        tt_port_key_t key = tt_port_lock();
        uint32_t cpu = tt_port_cpu();
        tt_ring_t *ring = ring_with_room(cpu, 3);
        if (ring != NULL) {
            uint32_t time = tt_port_ticks();
            tt_record_store(ring, tt_record_with_cpu(PLACE(TT_RECORD_BEGIN), cpu), time, format,
                            first);
            tt_record_store(ring, tt_record_with_cpu(PLACE(TT_RECORD_CONTINUE), cpu), time, second,
                            third);
            tt_record_store(ring, tt_record_with_cpu(PLACE(TT_RECORD_END), cpu), time, fourth,
                            5u * WORD_BYTES);
            tt_port_unlock(key);
            return;
        }
        tt_port_unlock(key);
    }
    const uint32_t words[] = {format, first, second, third, fourth};
    write_slowly(words, 5, route);
}

void tt_log_words(const uint32_t *words, uint32_t count)
{
    write_slowly(words, count, tt_route_load(TT_ROUTE_SYSTEM_LOG));
}

/* Add bytes to an event; `combine` NULL: add nothing. */
static void append(tt_combine_t *combine, const void *bytes, uint32_t count)
{
    if (combine != NULL) {
        tt_combine_add(combine, bytes, count);
    }
}

/* Place in a format: which part of a conversion takes the next argument. */
typedef struct conversions {
    const char *next;
    uint32_t limit;     /* precision of the conversion, UINT32_MAX without one */
    bool is_inside;     /* the conversion has not ended: it takes another argument */
    bool has_precision; /* a `.` has been read */
} conversions_t;

static void begin_conversion(conversions_t *place)
{
    const char *next = place->next;
    while (next[0] != '\0' && (next[0] != '%' || next[1] == '%')) {
        next += next[0] == '%' ? 2 : 1;
    }
    *place = (conversions_t){
        .next = next[0] == '%' ? next + 1 : next, .limit = UINT32_MAX, .is_inside = true};
}

/* Go on to the next argument. Returns true if it is the precision of a conversion, false if it is a
 * width or the value that the conversion prints. */
static bool next_is_precision(conversions_t *place)
{
    if (!place->is_inside) {
        begin_conversion(place);
    }
    for (; *place->next != '\0'; place->next++) {
        char letter = *place->next;
        if (letter == '*') {
            place->next++;
            return place->has_precision;
        }
        if (letter == '.') {
            place->has_precision = true;
            place->limit = 0;
        } else if (letter >= '0' && letter <= '9') {
            uint32_t digit = (uint32_t)(letter - '0');
            place->limit = place->has_precision ? place->limit * 10u + digit : place->limit;
        } else if (strchr("-+ #\'hljztL", letter) == NULL) {
            place->next++;
            break;
        }
    }
    place->is_inside = false;
    return false;
}

/* Add the length of a text, its bytes up to a zero or the limit, and zeros up to a whole word. */
static void append_text(tt_combine_t *combine, const char *text, uint32_t limit)
{
    static const uint8_t filling[sizeof(uint32_t)] = {0};
    uint32_t bytes = 0;
    while (bytes < limit && text[bytes] != '\0') {
        bytes++;
    }
    append(combine, &bytes, WORD_BYTES);
    append(combine, text, bytes);
    append(combine, filling, -bytes % WORD_BYTES);
}

/* Add a pointer, or the text at its address, and return the recorded type. */
static uint32_t append_pointer(tt_combine_t *combine, uint32_t type, const void *pointer,
                               uint32_t limit)
{
    if (type == TT_LOG_COPIED && pointer != NULL && !TT_PORT_IS_READ_ONLY(pointer)) {
        append_text(combine, pointer, limit);
        return TT_LOG_COPIED;
    }
    uint32_t word = (uint32_t)(uintptr_t)pointer;
    append(combine, &word, WORD_BYTES);
    return type == TT_LOG_POINTER ? TT_LOG_WORD : TT_LOG_LITERAL;
}

/* Append arguments to an event and return their recorded types. `combine` NULL: only compute the
 * types. */
static uint32_t append_arguments(tt_combine_t *combine, const char *format, uint32_t types,
                                 va_list arguments)
{
    conversions_t place = {.next = format == NULL ? "" : format};
    uint32_t recorded = 0;
    for (uint32_t shift = 0; shift < 32u && types >> shift != 0u; shift += TYPE_BITS) {
        uint32_t type = types >> shift & TYPE_MASK;
        bool is_precision = next_is_precision(&place);
        if (type == TT_LOG_WORD) {
            unsigned value = va_arg(arguments, unsigned);
            if (is_precision) { /* a negative one counts as none */
                place.limit = (int)value < 0 ? UINT32_MAX : value;
            }
            append(combine, &value, sizeof value);
        } else if (type == TT_LOG_LONG) {
            unsigned long long value = va_arg(arguments, unsigned long long);
            append(combine, &value, sizeof value);
#if HAS_DOUBLE
        } else if (type == TT_LOG_DOUBLE) {
            double value = va_arg(arguments, double);
            append(combine, &value, sizeof value);
#endif
        } else {
            type = append_pointer(combine, type, va_arg(arguments, const void *), place.limit);
        }
        recorded |= type << shift;
    }
    return recorded;
}

void tt_log_typed(uint32_t word, const char *format, uint32_t types, ...)
{
    uint32_t route = tt_route_load(TT_ROUTE_SYSTEM_LOG);
    va_list arguments;
    va_start(arguments, types);
    const uint32_t words[2] = {word | TT_LOG_TYPED,
                               append_arguments(NULL, format, types, arguments)};
    va_end(arguments);
    const uint32_t streams = tt_filter_streams(TT_LOG_HEADER, words, 2, route);
    if (streams == 0u) {
        return;
    }
    atomic_fetch_add_explicit(&open_count, 1u, memory_order_relaxed);
    tt_combine_t combine;
    do {
        combine = (tt_combine_t){.header = TT_LOG_HEADER, .route = streams};
        tt_combine_add(&combine, words, sizeof words);
        va_start(arguments, types);
        (void)append_arguments(&combine, format, types, arguments);
        va_end(arguments);
        tt_combine_end(&combine);
    } while (tt_combine_moved(&combine, streams));
    atomic_fetch_sub_explicit(&open_count, 1u, memory_order_relaxed);
}
