/*
 * Combine events. The payload fills records of two words; a record is written once it is known
 * whether it is the last, so END can carry the length without knowing it at BEGIN:
 *
 *     payload of 13 bytes:   BEGIN w0 w1 | CONTINUE w2 w3 | END 0 13
 *     payload of 10 bytes:   BEGIN w0 w1 | END w2 10
 *     payload of 3 bytes:    BEGIN w0 0  | END 0 3
 *
 * The time of BEGIN identifies the event. An event that begins at the tick of one that is open on
 * the same CPU is keyed: one more record in front, and the key instead of the time behind it.
 *
 *     payload of 10 bytes:   BEGIN key 0 | CONTINUE w0 w1 | END w2 10
 */
#include "tickertape/combine.h"

#include <stddef.h>
#include <string.h>

#include "core.h"
#include "record.h"
#include "ring.h"
#include "tickertape/add.h"

#define PAIR_BYTES 8u

/* In `bytes`: the thread has moved to another CPU, nothing more is recorded. */
#define MOVED UINT32_MAX

/* Of each CPU; its interrupts are masked. */
static struct {
    uint32_t open_ticks; /* ~time of the last event without a key, 0 once that has ended */
    uint32_t keys;       /* given out so far */
} openings[TT_CONFIG_CPUS];

/* What names an event in all of its records. */
#define IDENTITY_MASK                                                                              \
    (TT_RECORD_CPU_MASK | TT_RECORD_KEYED_MASK | TT_RECORD_CLASS_MASK | TT_RECORD_EVENT_MASK)

bool tt_combine_write_begin(tt_combine_t *combine, const uint32_t *time)
{
    uint32_t words[2] = {combine->words[0], combine->words[1]};
    tt_port_key_t key = tt_port_lock();
    uint32_t cpu = tt_port_cpu();
    bool keyed = openings[cpu].open_ticks == ~(time == NULL ? tt_port_ticks() : *time);
    uint32_t header = combine->header | cpu << TT_RECORD_CPU_FIRST_BIT;
    if (keyed) {
        header |= TT_RECORD_KEYED_MASK;
        words[0] = ++openings[cpu].keys;
        words[1] = 0;
    }
    combine->header = header | TT_RECORD_FIELD(STRUCT, TT_RECORD_CONTINUE);
    combine->time = tt_record_words(words, header | TT_RECORD_FIELD(STRUCT, TT_RECORD_BEGIN),
                                    combine->route, time);
    if (keyed) {
        combine->time = words[0];
    } else {
        openings[cpu].open_ticks = ~combine->time;
    }
    tt_port_unlock(key);
    return !keyed;
}

/* Write CONTINUE or END: nowhere but on the CPU where BEGIN is. */
static void write_part(tt_combine_t *combine, uint32_t place)
{
    tt_port_key_t key = tt_port_lock();
    uint32_t cpu = tt_port_cpu();
    if (TT_CONFIG_CPUS > 1 && (combine->header & TT_RECORD_CPU_MASK) != TT_RECORD_FIELD(CPU, cpu)) {
        tt_port_unlock(key);
        combine->route = 0;
        combine->bytes = MOVED;
        return;
    }
    (void)tt_record_words(combine->words, combine->header | TT_RECORD_FIELD(STRUCT, place),
                          combine->route, &combine->time);
    if (place == TT_RECORD_END && (combine->header & TT_RECORD_KEYED_MASK) == 0u &&
        openings[cpu].open_ticks == ~combine->time) {
        openings[cpu].open_ticks = 0;
    }
    tt_port_unlock(key);
}

/* The pair of words gathered so far, which is not the last. */
static void write_pair(tt_combine_t *combine)
{
    bool begun = (combine->header & TT_RECORD_STRUCT_MASK) != 0u;
    if (begun || !tt_combine_write_begin(combine, NULL)) {
        write_part(combine, TT_RECORD_CONTINUE);
    }
    combine->words[0] = 0;
    combine->words[1] = 0;
}

void tt_combine_begin(tt_combine_t *combine, uint32_t event_class, uint32_t event)
{
    uint32_t route = tt_route[tt_route_index(event_class, event)];
    *combine =
        (tt_combine_t){.header = TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0, 0, event_class, event),
                       .route = route & TT_ROUTE_STREAMS_MASK};
    if ((route & TT_ROUTE_SLOW) != 0u && !tt_filter_pass(combine->header, NULL, 0)) {
        combine->route = 0;
    }
}

void tt_combine_add(tt_combine_t *combine, const void *bytes, uint32_t count)
{
    const uint8_t *from = bytes;
    while (count > 0u && combine->route != 0u) {
        uint32_t used = combine->bytes % PAIR_BYTES;
        uint32_t fits = PAIR_BYTES - used;
        if (fits == PAIR_BYTES && count >= PAIR_BYTES) {
            memcpy(combine->words, from, PAIR_BYTES); /* known length: two loads, two stores */
        } else {
            fits = fits < count ? fits : count;
            for (uint32_t i = 0; i < fits; i++) {
                ((uint8_t *)combine->words)[used + i] = from[i];
            }
        }
        combine->bytes += fits;
        from += fits;
        count -= fits;
        if (used + fits == PAIR_BYTES) {
            write_pair(combine);
        }
    }
}

void tt_combine_end(tt_combine_t *combine)
{
    /* What is pending shares END's record when it leaves the last word free. */
    uint32_t bytes = combine->bytes;
    uint32_t pending = bytes % PAIR_BYTES;
    if (combine->route != 0u && (pending > sizeof(uint32_t) || bytes < PAIR_BYTES)) {
        write_pair(combine);
    }
    if (combine->route != 0u) {
        combine->words[1] = bytes;
        write_part(combine, TT_RECORD_END);
        combine->route = 0u;
    }
}

bool tt_combine_moved(const tt_combine_t *combine, uint32_t route)
{
    if (TT_CONFIG_CPUS == 1 || combine->bytes != MOVED) {
        return false;
    }
    const uint32_t words[2] = {combine->header & IDENTITY_MASK, combine->time};
    (void)tt_record_words(
        words, TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0, 0, TT_CLASS_TRACER, TT_TRACER_MOVED), route,
        NULL);
    return true;
}

void tt_record_payload(uint32_t header, uint32_t route, const uint32_t *words, uint32_t word_count,
                       const void *bytes, uint32_t byte_count)
{
    tt_combine_t combine;
    if ((route & TT_ROUTE_SLOW) != 0u && !tt_filter_pass(header, words, word_count)) {
        return;
    }
    route &= TT_ROUTE_STREAMS_MASK;
    do {
        combine = (tt_combine_t){.header = header, .route = route};
        tt_combine_add(&combine, words, word_count * (uint32_t)sizeof *words);
        tt_combine_add(&combine, bytes, byte_count);
        tt_combine_end(&combine);
    } while (tt_combine_moved(&combine, route));
}

void tt_record_string(uint32_t header, uint32_t route, uint32_t data0, uint32_t data1,
                      const char *text)
{
    const uint32_t words[2] = {data0, data1};
    tt_record_payload(header, route, words, 2, text, text == NULL ? 0u : (uint32_t)strlen(text));
}

/* The filters see all words in a row. */
void tt_record_wide(uint32_t data0, uint32_t data1, uint32_t header, uint32_t route,
                    const uint32_t *words, uint32_t word_count)
{
    uint32_t all[2u + TT_WIDE_WORDS_MAX] = {data0, data1};
    memcpy(&all[2], words, word_count * sizeof *words);
    tt_record_payload(header, route, all, 2u + word_count, NULL, 0);
}
