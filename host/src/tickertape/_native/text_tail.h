/*
 * Cache of formatted line tails (everything after the time), keyed by the event's content. Kernels
 * repeat the same events; a repeated one costs one copy. The tail of an event that names a thread
 * is cached as well, because every new name clears the cache.
 */
#ifndef TICKERTAPE_NATIVE_TEXT_TAIL_H
#define TICKERTAPE_NATIVE_TEXT_TAIL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TT_TEXT_TAILS      1024u /* a power of two */
#define TT_TEXT_TAIL_BYTES 192u
#define TT_TEXT_TAIL_PIECE 96u /* copied in one block; only the first bytes may be valid */

/* Sizes of payloads that are cached. */
#define TT_TEXT_LEAST_PAYLOAD 8u
#define TT_TEXT_MOST_PAYLOAD  32u

typedef struct tt_text_tail {
    uint64_t where; /* result of tt_text_where() */
    uint64_t words; /* both data words */
    uint32_t age;   /* tt_text_tails_t.age at the time of writing */
    uint32_t bytes;
    uint64_t payload_bytes; /* 0 for a simple record */
    uint8_t payload[TT_TEXT_MOST_PAYLOAD];
    char text[TT_TEXT_TAIL_BYTES];
} tt_text_tail_t;

typedef struct tt_text_tails {
    uint32_t age; /* tails of another age are invalid; never 0 */
    tt_text_tail_t tails[TT_TEXT_TAILS];
} tt_text_tails_t;

/* Combine the header of a SIMPLE or BEGIN (highest bit 0) and the running thread (-1 to 2^32-1). */
static inline uint64_t tt_text_where(uint32_t header, int64_t running)
{
    return (uint64_t)header << 33 | ((uint64_t)running & 0x1ffffffffu);
}

/* Return the only place where the tail of an event may be. */
static inline tt_text_tail_t *tt_text_tail_at(tt_text_tails_t *tails, uint64_t where,
                                              uint64_t words)
{
    /* Two random odd constants; differences in the high bits must change the result as well. */
    uint64_t mixed = where * 0x9e3779b97f4a7c15u + words * 0xc2b2ae3d27d4eb4fu;
    return &tails->tails[mixed >> 40 & (TT_TEXT_TAILS - 1u)];
}

/* Return whether a tail belongs to an event; its payload is not compared. */
static inline bool tt_text_tail_is(const tt_text_tails_t *tails, const tt_text_tail_t *tail,
                                   uint64_t where, uint64_t words)
{
    return tail->where == where && tail->words == words && tail->age == tails->age;
}

static inline uint64_t tt_text_eight(const uint8_t *bytes)
{
    uint64_t eight;
    memcpy(&eight, bytes, sizeof eight);
    return eight;
}

/* Return whether a payload equals that of the tail. */
static inline bool tt_text_tail_has(const tt_text_tail_t *tail, const uint8_t *payload,
                                    uint64_t bytes)
{
    if (tail->payload_bytes != bytes || bytes < TT_TEXT_LEAST_PAYLOAD) {
        return false;
    }
    const uint8_t *kept = tail->payload;
    uint64_t last = bytes - sizeof(uint64_t);
    uint64_t other = tt_text_eight(payload + last) ^ tt_text_eight(kept + last);
    for (uint64_t at = 0; at < last; at += sizeof(uint64_t)) {
        other |= tt_text_eight(payload + at) ^ tt_text_eight(kept + at);
    }
    return other == 0u;
}

/* Copy a tail to `at`, which has room for TT_TEXT_TAIL_BYTES; return the place after it. */
static inline char *tt_text_tail_put(const tt_text_tail_t *tail, char *at)
{
    memcpy(at, tail->text, TT_TEXT_TAIL_PIECE);
    if (tail->bytes > TT_TEXT_TAIL_PIECE) {
        memcpy(at + TT_TEXT_TAIL_PIECE, tail->text + TT_TEXT_TAIL_PIECE,
               TT_TEXT_TAIL_BYTES - TT_TEXT_TAIL_PIECE);
    }
    return at + tail->bytes;
}

/* Store a tail, unless it is too long or its payload too long or short. A simple record has no
 * payload: NULL and 0 bytes. */
static inline void tt_text_tail_keep(const tt_text_tails_t *tails, tt_text_tail_t *tail,
                                     uint64_t where, uint64_t words, const uint8_t *payload,
                                     uint64_t payload_bytes, const char *text, uint64_t bytes)
{
    bool suits = payload == NULL ||
                 (payload_bytes >= TT_TEXT_LEAST_PAYLOAD && payload_bytes <= TT_TEXT_MOST_PAYLOAD);
    if (suits && bytes <= TT_TEXT_TAIL_BYTES) {
        tail->payload_bytes = payload_bytes;
        if (payload != NULL) {
            memcpy(tail->payload, payload, payload_bytes);
        }
        tail->where = where;
        tail->words = words;
        tail->age = tails->age;
        tail->bytes = (uint32_t)bytes;
        memcpy(tail->text, text, bytes);
    }
}

/* Make all tails invalid. */
static inline void tt_text_tails_forget(tt_text_tails_t *tails)
{
    tails->age++;
    if (tails->age == 0u) {
        memset(tails->tails, 0, sizeof tails->tails);
        tails->age = 1;
    }
}

#endif
