/* Access to single records of a tape: their words, and the combine event that begins at one. */
#ifndef TICKERTAPE_NATIVE_RECORD_PARTS_H
#define TICKERTAPE_NATIVE_RECORD_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "open_events.h"

#define RECORD_BYTES 16u
#define PAIR_BYTES   8u
#define STRUCT_SHIFT 30u
#define KEY_BITS     0x3f00ffffu /* CPU, keyed, class, event */
#define KEYED_BIT    (1u << 15u)
#define WORD_BITS    32u

/* Bits of identity_of(): SAME_BITS are equal in all records of an event. PART_BIT distinguishes
 * CONTINUE and END from BEGIN, END_BIT distinguishes END from CONTINUE. */
#define SAME_BITS ((uint64_t)UINT32_MAX << WORD_BITS | KEY_BITS)
#define PART_BIT  (UINT64_C(1) << 31u)
#define END_BIT   (UINT64_C(1) << 30u)

/* Lowest header of a BEGIN, CONTINUE or END; of a CONTINUE or END; of an END. */
#define FIRST_COMBINE (1u << STRUCT_SHIFT)
#define FIRST_PART    (2u << STRUCT_SHIFT)
#define FIRST_END     (3u << STRUCT_SHIFT)

static inline uint32_t word(const uint8_t *record, unsigned number, bool swap)
{
    uint32_t raw;
    memcpy(&raw, record + 4u * number, sizeof raw);
    return swap ? __builtin_bswap32(raw) : raw;
}

static inline uint64_t pair_of(const uint8_t *record)
{
    uint64_t pair;
    memcpy(&pair, record + RECORD_BYTES - PAIR_BYTES, sizeof pair);
    return pair;
}

/* Return the number of records of a combine event with `bytes` of payload. */
static inline uint64_t records_for(uint32_t bytes)
{
    uint64_t words = ((uint64_t)bytes + 3u) / 4u;
    uint64_t records = (words + 2u) / 2u;
    return records < 2u ? 2u : records;
}

/* Return the time of a record that is less than 2^32 ticks after `time`. */
static inline uint64_t time_behind(uint64_t time, const uint8_t *record, bool swap)
{
    return time + (uint32_t)(word(record, 1, swap) - (uint32_t)time);
}

/* Return header (low half) and low word of the time (high half). */
static inline uint64_t head_of(const uint8_t *record, bool swap)
{
    return (uint64_t)word(record, 1, swap) << WORD_BITS | word(record, 0, swap);
}

/* Return whether a BEGIN has a key in front of its payload. */
static inline bool is_keyed(const uint8_t *begin, bool swap)
{
    return (word(begin, 0, swap) & KEYED_BIT) != 0u;
}

/* Return the identity of the event of a BEGIN: its head, with the key, if any, in place of the
 * time. */
static inline uint64_t identity_of(const uint8_t *begin, bool swap)
{
    uint32_t low = word(begin, is_keyed(begin, swap) ? 2 : 1, swap);
    return (uint64_t)low << WORD_BITS | word(begin, 0, swap);
}

/*
 * Return the number of records of the combine event at `begin` if they are neighbours, else 0. Copy
 * their data words to `pairs`, which has room for all records up to the end of the buffer.
 */
static inline uint64_t take_run(const uint8_t *begin, const uint8_t *end, bool swap,
                                uint64_t *pairs)
{
    uint64_t left = (uint64_t)(end - begin) / RECORD_BYTES;
    uint64_t most = TT_MAX_COMBINE_RECORDS + 1u;
    if (left > most) {
        left = most;
    }
    uint64_t first = identity_of(begin, swap);
    pairs[0] = pair_of(begin);
    for (uint64_t i = 1; i < left; i++) {
        const uint8_t *record = begin + i * RECORD_BYTES;
        uint64_t head = head_of(record, swap);
        /* Identity must equal that of BEGIN, and the struct must be CONTINUE or END. */
        if (((head ^ first) & (SAME_BITS | PART_BIT)) != PART_BIT) {
            return 0;
        }
        pairs[i] = pair_of(record);
        if ((head & END_BIT) != 0u) {
            return i + 1u;
        }
    }
    return 0;
}

#endif
