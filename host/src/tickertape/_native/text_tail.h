/*
 * Ends of lines that were written before: all behind the time, by what it was made of. Kernels say
 * the same again and again; what they say then costs one copy.
 */
#ifndef TICKERTAPE_NATIVE_TEXT_TAIL_H
#define TICKERTAPE_NATIVE_TEXT_TAIL_H

#include <stdint.h>
#include <string.h>

#define TT_TEXT_TAILS      1024u /* a power of two */
#define TT_TEXT_TAIL_BYTES 164u
#define TT_TEXT_TAIL_PIECE 64u /* copied at once, of which only the first ones may count */

typedef struct tt_text_tail {
    uint64_t where; /* of tt_text_where() */
    uint64_t words; /* both data words */
    uint32_t age;   /* tt_text_tails_t.age when it was written */
    uint32_t bytes;
    char text[TT_TEXT_TAIL_BYTES + 4u];
} tt_text_tail_t;

typedef struct tt_text_tails {
    uint32_t age; /* what is older is forgotten; never 0 */
    tt_text_tail_t tails[TT_TEXT_TAILS];
} tt_text_tails_t;

/* Header of a simple record, whose highest two bits are 0; the thread that ran, -1 to 2^32-1. */
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

static inline int tt_text_tail_is(const tt_text_tails_t *tails, const tt_text_tail_t *tail,
                                  uint64_t where, uint64_t words)
{
    return tail->where == where && tail->words == words && tail->age == tails->age;
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

/* Keep a tail; one that is too long is not kept. */
static inline void tt_text_tail_keep(const tt_text_tails_t *tails, tt_text_tail_t *tail,
                                     uint64_t where, uint64_t words, const char *text,
                                     uint64_t bytes)
{
    if (bytes <= TT_TEXT_TAIL_BYTES) {
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
