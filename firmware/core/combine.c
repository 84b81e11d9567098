/*
 * Combine events. The payload fills records of two words. The length is in END, so BEGIN does not
 * need it:
 *
 *     payload of 13 bytes:   BEGIN w0 w1 | CONTINUE w2 w3 | END 0 13
 *     payload of 10 bytes:   BEGIN w0 w1 | END w2 10
 *     payload of 3 bytes:    BEGIN w0 0  | END 0 3
 *
 * The time of BEGIN identifies the event. An event that begins at the tick of one that is still
 * open on the same CPU gets a key: it has one more record in front, and its other records contain
 * the key instead of the time.
 *
 *     payload of 10 bytes:   BEGIN key 0 | CONTINUE w0 w1 | END w2 10
 */
#include "combine.h"

#include <stddef.h>
#include <string.h>

#include "filter.h"
#include "record.h"
#include "ring.h"
#include "tickertape/add.h"

#define PAIR_BYTES 8u

/* Value of tt_combine_t.bytes for an event that ended incomplete because its thread moved to
 * another CPU. */
#define MOVED UINT32_MAX

/* The last event on each CPU (with TT_CONFIG_READERS one entry for all CPUs); accessed with
 * interrupts masked. */
static struct {
    uint32_t open_ticks; /* time of the last event that began without a key */
    bool is_open;        /* that event has not ended */
    uint32_t keys;       /* assigned so far */
} openings[TT_RING_CPUS];

#define OPENING(cpu) (TT_RING_CPUS == 1 ? 0u : (cpu))

/* Header bits that are equal in all records of an event. */
#define IDENTITY_MASK                                                                              \
    (TT_RECORD_CPU_MASK | TT_RECORD_KEYED_MASK | TT_RECORD_CLASS_MASK | TT_RECORD_EVENT_MASK)

/*
 * Mask interrupts when every ring of a route has room for one record. A ring without room first
 * takes its steps, each in a masked section of its own; a stream that drops the record is removed
 * from the route.
 */
static tt_port_key_t lock_with_room(uint32_t header, uint32_t *route)
{
    uint32_t look = *route;
    for (;;) {
        tt_port_key_t key = tt_port_lock();
        uint32_t cpu = tt_port_cpu();
        uint32_t rest = look;
        while (rest != 0u && tt_ring_has_room(tt_ring_of_first(rest, cpu))) {
            rest = TT_CONFIG_STREAMS == 1 ? 0u : rest & (rest - 1u);
        }
        if (rest == 0u && look == *route) {
            return key;
        }
        uint32_t lowest = rest & -rest;
        if (rest == 0u) {
            look = *route; /* this ring has room now: check all rings again */
        } else if (look != lowest) {
            look = lowest;
        } else if (!tt_ring_advance(tt_ring_of_first(rest, cpu), header, tt_port_ticks())) {
            *route &= ~lowest;
            look = *route;
        }
        tt_port_unlock(key);
    }
}

/* Store a record in each ring of a route; all have room. Interrupts are masked. */
static inline void store_in(uint32_t route, uint32_t cpu, uint32_t header, uint32_t time,
                            const uint32_t words[2])
{
    while (route != 0u) {
        tt_record_store(tt_ring_of_first(route, cpu), header, time, words[0], words[1]);
        route = TT_CONFIG_STREAMS == 1 ? 0u : route & (route - 1u);
    }
}

bool tt_combine_write_begin(tt_combine_t *combine, const uint32_t *time)
{
    uint32_t words[2] = {combine->words[0], combine->words[1]};
    uint32_t route = combine->route;
    tt_port_key_t key = lock_with_room(combine->header, &route);
    uint32_t cpu = tt_port_cpu();
    uint32_t stamp = time == NULL ? tt_port_ticks() : *time;
    bool keyed = openings[OPENING(cpu)].is_open && openings[OPENING(cpu)].open_ticks == stamp;
    uint32_t header = combine->header | cpu << TT_RECORD_CPU_FIRST_BIT;
    if (keyed) {
        header |= TT_RECORD_KEYED_MASK;
        words[0] = ++openings[OPENING(cpu)].keys;
        words[1] = 0;
    } else {
        openings[OPENING(cpu)].open_ticks = stamp;
        openings[OPENING(cpu)].is_open = true;
    }
    combine->header = header | TT_RECORD_FIELD(STRUCT, TT_RECORD_CONTINUE);
    combine->time = keyed ? words[0] : stamp;
    store_in(route, cpu, header | TT_RECORD_FIELD(STRUCT, TT_RECORD_BEGIN), stamp, words);
    tt_port_unlock(key);
    return !keyed;
}

/* Write CONTINUE or END; `place` is its TT_RECORD_ value. If the thread has left the CPU of BEGIN,
 * end the event as MOVED instead. */
static void write_part(tt_combine_t *combine, uint32_t place)
{
    uint32_t route = combine->route;
    tt_port_key_t key = lock_with_room(combine->header, &route);
    uint32_t cpu = tt_port_cpu();
    if (TT_RING_CPUS > 1 && (combine->header & TT_RECORD_CPU_MASK) != TT_RECORD_FIELD(CPU, cpu)) {
        tt_port_unlock(key);
        combine->route = 0;
        combine->bytes = MOVED;
        return;
    }
    store_in(route, cpu, combine->header | TT_RECORD_FIELD(STRUCT, place), combine->time,
             combine->words);
    if (place == TT_RECORD_END && (combine->header & TT_RECORD_KEYED_MASK) == 0u &&
        openings[OPENING(cpu)].open_ticks == combine->time) {
        openings[OPENING(cpu)].is_open = false;
    }
    tt_port_unlock(key);
}

/* Write the two words gathered so far, as BEGIN or CONTINUE. */
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
    const uint32_t header = TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0, 0, event_class, event);
    *combine = (tt_combine_t){.header = header, .route = tt_filter_streams(header, NULL, 0, route)};
}

void tt_combine_add(tt_combine_t *combine, const void *bytes, uint32_t count)
{
    const uint8_t *from = bytes;
    while (count > 0u && combine->route != 0u) {
        uint32_t used = combine->bytes % PAIR_BYTES;
        uint32_t fits = PAIR_BYTES - used;
        if (fits == PAIR_BYTES && count >= PAIR_BYTES) {
            memcpy(combine->words, from, PAIR_BYTES); /* constant length: 2 loads, 2 stores */
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
    /* END has one word for pending bytes, its first; more of them need a record of their own. */
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
    if (TT_RING_CPUS == 1 || combine->bytes != MOVED) {
        return false;
    }
    const uint32_t words[2] = {combine->header & IDENTITY_MASK, combine->time};
    tt_record_words(words,
                    TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0, 0, TT_CLASS_TRACER, TT_TRACER_MOVED),
                    route, NULL);
    return true;
}

uint32_t tt_record_pair(uint32_t header, uint32_t streams, const uint32_t words[3], uint32_t bytes)
{
    tt_port_key_t key = tt_port_lock();
    uint32_t cpu = tt_port_cpu();
    uint32_t time = tt_port_ticks();
    uint32_t begin = tt_record_with_cpu(header, cpu) | TT_RECORD_FIELD(STRUCT, TT_RECORD_BEGIN);
    uint32_t end = tt_record_with_cpu(header, cpu) | TT_RECORD_FIELD(STRUCT, TT_RECORD_END);
    bool keyed = openings[OPENING(cpu)].is_open && openings[OPENING(cpu)].open_ticks == time;
    uint32_t left = keyed ? streams : 0u;
    for (uint32_t rest = keyed ? 0u : streams; rest != 0u; rest &= rest - 1u) {
        tt_ring_t *ring = tt_ring_of_first(rest, cpu);
        if (ring->limit - ring->cursor >= 2) {
            tt_record_store(ring, begin, time, words[0], words[1]);
            tt_record_store(ring, end, time, words[2], bytes);
        } else {
            left |= rest & -rest;
        }
    }
    tt_port_unlock(key);
    return left;
}

void tt_record_payload(uint32_t header, uint32_t route, const uint32_t *words, uint32_t word_count,
                       const void *bytes, uint32_t byte_count)
{
    tt_combine_t combine;
    const uint32_t streams = tt_filter_streams(header, words, word_count, route);
    do {
        combine = (tt_combine_t){.header = header, .route = streams};
        tt_combine_add(&combine, words, word_count * (uint32_t)sizeof *words);
        tt_combine_add(&combine, bytes, byte_count);
        tt_combine_end(&combine);
    } while (tt_combine_moved(&combine, streams));
}

void tt_record_string(uint32_t header, uint32_t route, uint32_t data0, uint32_t data1,
                      const char *text)
{
    const uint32_t words[2] = {data0, data1};
    tt_record_payload(header, route, words, 2, text, text == NULL ? 0u : (uint32_t)strlen(text));
}

/* A handler gets all words in one array. */
void tt_record_wide(uint32_t data0, uint32_t data1, uint32_t header, uint32_t route,
                    const uint32_t *words, uint32_t word_count)
{
    const uint32_t first[2] = {data0, data1};
    uint32_t streams = route & TT_ROUTE_STREAMS_MASK;
    if ((route & TT_ROUTE_SLOW) != 0u) {
        uint32_t all[2u + TT_WIDE_WORDS_MAX] = {data0, data1};
        memcpy(&all[2], words, word_count * sizeof *words);
        streams = tt_filter_streams(header, all, 2u + word_count, route);
    }
    tt_record_payload(header, streams, first, 2, words, word_count * (uint32_t)sizeof *words);
}

static void add_text(uint32_t event_class, uint32_t event, const uint32_t *words,
                     uint32_t word_count, const char *text)
{
    uint32_t route = tt_add_route(event_class, event);
    if (route != 0u) {
        tt_record_payload(TT_ADD_HEADER(event_class, event), route, words, word_count, text,
                          text == NULL ? 0u : (uint32_t)strlen(text));
    }
}

void tt_add_string(uint32_t event_class, uint32_t event, const char *text)
{
    add_text(event_class, event, NULL, 0, text);
}

void tt_add_d1_string(uint32_t event_class, uint32_t event, uint32_t data0, const char *text)
{
    add_text(event_class, event, &data0, 1, text);
}

void tt_add_d2_string(uint32_t event_class, uint32_t event, uint32_t data0, uint32_t data1,
                      const char *text)
{
    const uint32_t words[2] = {data0, data1};
    add_text(event_class, event, words, 2, text);
}
