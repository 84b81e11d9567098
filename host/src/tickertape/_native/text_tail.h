/*
 * Cache of formatted line suffixes (everything after the time), keyed by content. Kernels
 * repeat the same events; a repeated one costs one copy. A line that gives a thread its name
 * is kept as well: as long as it is, no other name was learned since.
 */
#ifndef TICKERTAPE_NATIVE_TEXT_TAIL_H
#define TICKERTAPE_NATIVE_TEXT_TAIL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TT_TEXT_TAILS      1024u /* a power of two */
#define TT_TEXT_TAIL_BYTES 192u
#define TT_TEXT_TAIL_PIECE 96u /* copied in one block; only the first bytes may be valid */

/* Payloads of so many bytes are kept. */
#define TT_TEXT_LEAST_PAYLOAD 8u
#define TT_TEXT_MOST_PAYLOAD  32u

typedef struct tt_text_tail {
    uint64_t where; /* of tt_text_where() */
    uint64_t words; /* both data words */
    uint32_t age;   /* tt_text_tails_t.age when it was written */
    uint32_t bytes;
    uint64_t payload_bytes; /* 0 for a simple record */
    uint8_t payload[TT_TEXT_MOST_PAYLOAD];
    char text[TT_TEXT_TAIL_BYTES];
} tt_text_tail_t;

typedef struct tt_text_tails {
    uint32_t age; /* what is older is forgotten; never 0 */
    tt_text_tail_t tails[TT_TEXT_TAILS];
} tt_text_tails_t;

/* Header of a SIMPLE or BEGIN, whose highest bit is 0; the thread that ran, -1 to 2^32-1. */
static inline uint64_t tt_text_where(uint32_t header, int64_t running)
{
    return (uint64_t)header << 33 | ((uint64_t)running & 0x1ffffffffu);
}

/* The only place where such a tail may be. */
static inline tt_text_tail_t *tt_text_tail_at(tt_text_tails_t *tails, uint64_t where,
                                              uint64_t words)
{
    /* Two odd constants without pattern; what differs in high bits only has to matter as well. */
    uint64_t mixed = where * 0x9e3779b97f4a7c15u + words * 0xc2b2ae3d27d4eb4fu;
    return &tails->tails[mixed >> 40 & (TT_TEXT_TAILS - 1u)];
}

/* Whether a tail is that of an event, but for its payload. */
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

/* Whether the payload is that of the tail as well. */
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

/* Copy a tail to where there is room for TT_TEXT_TAIL_BYTES; returns what follows it. */
static inline char *tt_text_tail_put(const tt_text_tail_t *tail, char *at)
{
    memcpy(at, tail->text, TT_TEXT_TAIL_PIECE);
    if (tail->bytes > TT_TEXT_TAIL_PIECE) {
        memcpy(at + TT_TEXT_TAIL_PIECE, tail->text + TT_TEXT_TAIL_PIECE,
               TT_TEXT_TAIL_BYTES - TT_TEXT_TAIL_PIECE);
    }
    return at + tail->bytes;
}

/* Keep a tail; one that is too long is not kept, nor one whose payload is too long or short. A
 * simple record has no payload: NULL and 0 bytes. */
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

/* Forget all tails. */
static inline void tt_text_tails_forget(tt_text_tails_t *tails)
{
    tails->age++;
    if (tails->age == 0u) {
        memset(tails->tails, 0, sizeof tails->tails);
        tails->age = 1;
    }
}

#endif
