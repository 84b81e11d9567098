/*
 * Combine events. The payload fills records of two words; a record is written once it is known
 * whether it is the last, so END can carry the length without knowing it at BEGIN:
 *
 *     payload of 13 bytes:   BEGIN w0 w1 | CONTINUE w2 w3 | END 0 13
 *     payload of 10 bytes:   BEGIN w0 w1 | END w2 10
 *     payload of 3 bytes:    BEGIN w0 0  | END 0 3
 */
#include "tickertape/combine.h"

#include <stddef.h>
#include <string.h>

#include "core.h"
#include "record.h"
#include "ring.h"
#include "tickertape/add.h"

#define PAIR_BYTES 8u

/* The filters are asked here, once for the whole event. */
static void begin(tt_combine_t *combine, uint32_t header, uint32_t route, const uint32_t *data,
                  uint32_t word_count)
{
    combine->header = header;
    combine->route = route & TT_ROUTE_STREAMS_MASK;
    combine->bytes = 0;
    combine->words[0] = 0;
    combine->words[1] = 0;
    if ((route & TT_ROUTE_SLOW) != 0u && !tt_filter_pass(header, data, word_count)) {
        combine->route = 0;
    }
}

/* Write the pair of words gathered so far as BEGIN or CONTINUE. */
static void write_pair(tt_combine_t *combine)
{
    bool first = combine->bytes <= PAIR_BYTES;
    combine->time =
        tt_record_words(combine->words,
                        combine->header | (first ? TT_RECORD_FIELD(STRUCT, TT_RECORD_BEGIN)
                                                 : TT_RECORD_FIELD(STRUCT, TT_RECORD_CONTINUE)),
                        combine->route, first ? NULL : &combine->time);
    combine->words[0] = 0;
    combine->words[1] = 0;
}

void tt_combine_begin(tt_combine_t *combine, uint32_t event_class, uint32_t event)
{
    begin(combine, TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0, 0, event_class, event),
          tt_route[tt_route_index(event_class, event)], NULL, 0);
}

void tt_combine_add(tt_combine_t *combine, const void *bytes, uint32_t count)
{
    const uint8_t *from = bytes;
    if (combine->route == 0u) {
        return;
    }
    while (count > 0u) {
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
    if (combine->route == 0u) {
        return;
    }
    /* What is pending shares END's record when it leaves the last word free. */
    uint32_t pending = combine->bytes % PAIR_BYTES;
    if (pending > sizeof(uint32_t) || combine->bytes < PAIR_BYTES) {
        write_pair(combine);
    }
    combine->words[1] = combine->bytes;
    (void)tt_record_words(combine->words, combine->header | TT_RECORD_FIELD(STRUCT, TT_RECORD_END),
                          combine->route, &combine->time);
    combine->route = 0u;
}

void tt_record_payload(uint32_t header, uint32_t route, const uint32_t *words, uint32_t word_count,
                       const void *bytes, uint32_t byte_count)
{
    tt_combine_t combine;
    begin(&combine, header, route, words, word_count);
    if (word_count > 0u) {
        tt_combine_add(&combine, words, word_count * (uint32_t)sizeof *words);
    }
    if (byte_count > 0u) {
        tt_combine_add(&combine, bytes, byte_count);
    }
    tt_combine_end(&combine);
}

void tt_record_string(uint32_t header, uint32_t route, uint32_t data0, uint32_t data1,
                      const char *text)
{
    const uint32_t words[2] = {data0, data1};
    tt_record_payload(header, route, words, 2, text, text == NULL ? 0u : (uint32_t)strlen(text));
}

/* Ask the filters about a wide event; they see all its words in a row. */
static bool wide_passes(uint32_t header, uint32_t data0, uint32_t data1, const uint32_t *words,
                        uint32_t word_count)
{
    uint32_t all[2u + TT_WIDE_WORDS_MAX] = {data0, data1};
    memcpy(&all[2], words, word_count * sizeof *words);
    return tt_filter_pass(header, all, 2u + word_count);
}

void tt_record_wide(uint32_t data0, uint32_t data1, uint32_t header, uint32_t route,
                    const uint32_t *words, uint32_t word_count)
{
    if ((route & TT_ROUTE_SLOW) != 0u && !wide_passes(header, data0, data1, words, word_count)) {
        return;
    }
    route &= TT_ROUTE_STREAMS_MASK;
    const uint32_t first[2] = {data0, data1};
    uint32_t time =
        tt_record_words(first, header | TT_RECORD_FIELD(STRUCT, TT_RECORD_BEGIN), route, NULL);
    uint32_t i = 0;
    for (; i + 1u < word_count; i += 2u) {
        (void)tt_record_words(&words[i], header | TT_RECORD_FIELD(STRUCT, TT_RECORD_CONTINUE),
                              route, &time);
    }
    const uint32_t last[2] = {i < word_count ? words[i] : 0u,
                              (2u + word_count) * (uint32_t)sizeof *words};
    (void)tt_record_words(last, header | TT_RECORD_FIELD(STRUCT, TT_RECORD_END), route, &time);
}
