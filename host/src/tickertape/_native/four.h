/*
 * Convert four neighbouring records at once: most records are SIMPLE, and one or two stores write
 * four items of a column. For x86-64 only; other processors convert records one by one.
 */
#ifndef TICKERTAPE_NATIVE_FOUR_H
#define TICKERTAPE_NATIVE_FOUR_H

#include <stdbool.h>
#include <stdint.h>

#include "columns.h"

#define TT_FOUR_BYTES 64u

#if defined(__SSE2__) && (defined(__GNUC__) || defined(__clang__))

#include <emmintrin.h>

static inline __m128i tt_four_load(const uint8_t *data)
{
    return _mm_loadu_si128((const __m128i *)(const void *)data);
}

static inline void tt_four_store(void *to, __m128i value)
{
    _mm_storeu_si128(to, value);
}

/* Reverse the bytes of each word. */
static inline __m128i tt_four_swapped(__m128i words)
{
    __m128i pairs = _mm_or_si128(_mm_slli_epi16(words, 8), _mm_srli_epi16(words, 8));
    return _mm_shufflehi_epi16(_mm_shufflelo_epi16(pairs, 0xb1), 0xb1);
}

/* Return one bit per lane: the highest bit of the lane. */
static inline unsigned tt_four_signs(__m128i words)
{
    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(words));
}

/*
 * Fill rows from `row` on with records up to the first BEGIN (included) or the first CONTINUE or
 * END (not included), without payload. Rows up to row + 3 may be overwritten.
 *
 * `time` is the time of the previous record, or any time less than 2^32 ticks before the first
 * record. Return the number of valid rows, 0 to 4; 0 also if the low word of the time wraps.
 */
static inline __attribute__((always_inline)) unsigned
tt_four_put(const tt_columns_t *out, uint64_t row, const uint8_t *records, uint64_t ordinal,
            uint64_t time, bool swap)
{
    /* Transpose the matrix of four records by four words. */
    __m128i first = tt_four_load(records);
    __m128i second = tt_four_load(records + 16);
    __m128i third = tt_four_load(records + 32);
    __m128i fourth = tt_four_load(records + 48);
    __m128i heads01 = _mm_unpacklo_epi32(first, second);
    __m128i heads23 = _mm_unpacklo_epi32(third, fourth);
    __m128i data01 = _mm_unpackhi_epi32(first, second);
    __m128i data23 = _mm_unpackhi_epi32(third, fourth);
    __m128i header = _mm_unpacklo_epi64(heads01, heads23);
    __m128i low = _mm_unpackhi_epi64(heads01, heads23);
    __m128i data0 = _mm_unpacklo_epi64(data01, data23);
    __m128i data1 = _mm_unpackhi_epi64(data01, data23);
    if (swap) {
        header = tt_four_swapped(header);
        low = tt_four_swapped(low);
        data0 = tt_four_swapped(data0);
        data1 = tt_four_swapped(data1);
    }
    /* The struct is in the two highest bits: 00 SIMPLE, 01 BEGIN, 10 CONTINUE, 11 END. */
    unsigned parts = tt_four_signs(header);
    unsigned others = parts | tt_four_signs(_mm_slli_epi32(header, 1));
    unsigned simple = (unsigned)__builtin_ctz(others | 1u << 4u);
    unsigned rows = simple + (~(parts >> simple) & (simple < 4u));
    /* Compare each low word with the previous one, as signed numbers: SSE2 compares only these. */
    __m128i sign = _mm_set1_epi32(INT32_MIN);
    __m128i before = _mm_or_si128(_mm_slli_si128(low, 4), _mm_cvtsi32_si128((int)(uint32_t)time));
    __m128i falls = _mm_cmpgt_epi32(_mm_xor_si128(before, sign), _mm_xor_si128(low, sign));
    if ((tt_four_signs(falls) & ((1u << rows) - 1u)) != 0u) {
        return 0;
    }
    __m128i high = _mm_set1_epi32((int)(uint32_t)(time >> 32));
    __m128i numbers = _mm_set1_epi64x((int64_t)ordinal);
    __m128i none = _mm_set1_epi64x(TT_NO_PAYLOAD);
    tt_four_store(out->header + row, header);
    tt_four_store(out->data0 + row, data0);
    tt_four_store(out->data1 + row, data1);
    tt_four_store(out->time + row, _mm_unpacklo_epi32(low, high));
    tt_four_store(out->time + row + 2, _mm_unpackhi_epi32(low, high));
    tt_four_store(out->ordinal + row, _mm_add_epi64(numbers, _mm_set_epi64x(1, 0)));
    tt_four_store(out->ordinal + row + 2, _mm_add_epi64(numbers, _mm_set_epi64x(3, 2)));
    tt_four_store(out->payload_offset + row, none);
    tt_four_store(out->payload_offset + row + 2, none);
    tt_four_store(out->payload_bytes + row, _mm_setzero_si128());
    return rows;
}

#else

static inline unsigned tt_four_put(const tt_columns_t *out, uint64_t row, const uint8_t *records,
                                   uint64_t ordinal, uint64_t time, bool swap)
{
    (void)out;
    (void)row;
    (void)records;
    (void)ordinal;
    (void)time;
    (void)swap;
    return 0;
}

#endif

#endif
