#include "interface.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <immintrin.h>

#define CLMUL         __attribute__((target("pclmul,sse4.1")))
#define LANE_BYTES    16u
#define BLOCK_BYTES   64u
#define AHEAD_BYTES   4096u       /* a page: the processor's own prefetch stops at its end */
#define POLYNOMIAL    0xedb88320u /* bits reflected */
#define ALL_ONES      0xffffffffu
#define BITS_PER_BYTE 8u

/*
 * Constants of Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
 * Instruction" (Intel, 2009), for this polynomial with reflected bits: x^n mod P.
 */
#define FOLD_512 0x00000001c6e41596, 0x0000000154442bd4 /* n = 4*128 - 32, 4*128 + 32 */
#define FOLD_128 0x00000000ccaa009e, 0x00000001751997d0 /* n = 128 - 32, 128 + 32 */
#define FOLD_64  0x0000000163cd6124                     /* n = 64 */
#define BARRETT  0x00000001f7011641, 0x00000001db710641 /* x^64 / P; P */

int tt_crc32_available(void)
{
    return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
}

static CLMUL inline __m128i load(const uint8_t *data)
{
    return _mm_loadu_si128((const __m128i *)(const void *)data);
}

/* Move a remainder forward by the distance of `constants` and add the data there. */
static CLMUL inline __m128i fold(__m128i remainder, __m128i constants, __m128i next)
{
    __m128i low = _mm_clmulepi64_si128(remainder, constants, 0x00);
    __m128i high = _mm_clmulepi64_si128(remainder, constants, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/* Reduce a remainder from 128 to 32 bits: fold twice, then divide by Barrett's method. */
static CLMUL uint32_t reduce(__m128i remainder)
{
    const __m128i low_words = _mm_setr_epi32(-1, 0, -1, 0);
    const __m128i fold_128 = _mm_set_epi64x(FOLD_128);
    __m128i low = _mm_clmulepi64_si128(remainder, fold_128, 0x10);
    remainder = _mm_xor_si128(_mm_srli_si128(remainder, 8), low);
    low = _mm_srli_si128(remainder, 4);
    remainder = _mm_and_si128(remainder, low_words);
    remainder = _mm_clmulepi64_si128(remainder, _mm_set_epi64x(0, FOLD_64), 0x00);
    remainder = _mm_xor_si128(remainder, low);
    const __m128i barrett = _mm_set_epi64x(BARRETT);
    __m128i quotient = _mm_and_si128(remainder, low_words);
    quotient = _mm_clmulepi64_si128(quotient, barrett, 0x10);
    quotient = _mm_and_si128(quotient, low_words);
    quotient = _mm_clmulepi64_si128(quotient, barrett, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(remainder, quotient), 1);
}

/* Update a CRC. `size`: multiple of 16, at least 64. `state`: CRC without the final inversion. */
static CLMUL uint32_t fold_all(const uint8_t *data, uint64_t size, uint32_t state)
{
    const __m128i fold_512 = _mm_set_epi64x(FOLD_512);
    const __m128i fold_128 = _mm_set_epi64x(FOLD_128);
    __m128i lane0 = _mm_xor_si128(load(data), _mm_cvtsi32_si128((int)state));
    __m128i lane1 = load(data + LANE_BYTES);
    __m128i lane2 = load(data + 2u * LANE_BYTES);
    __m128i lane3 = load(data + 3u * LANE_BYTES);
    data += BLOCK_BYTES;
    size -= BLOCK_BYTES;
    for (; size >= BLOCK_BYTES; data += BLOCK_BYTES, size -= BLOCK_BYTES) {
        __builtin_prefetch(data + AHEAD_BYTES);
        lane0 = fold(lane0, fold_512, load(data));
        lane1 = fold(lane1, fold_512, load(data + LANE_BYTES));
        lane2 = fold(lane2, fold_512, load(data + 2u * LANE_BYTES));
        lane3 = fold(lane3, fold_512, load(data + 3u * LANE_BYTES));
    }
    __m128i remainder = fold(lane0, fold_128, lane1);
    remainder = fold(remainder, fold_128, lane2);
    remainder = fold(remainder, fold_128, lane3);
    for (; size >= LANE_BYTES; data += LANE_BYTES, size -= LANE_BYTES) {
        remainder = fold(remainder, fold_128, load(data));
    }
    return reduce(remainder);
}

uint32_t tt_crc32(const uint8_t *data, uint64_t size)
{
    uint32_t state = ALL_ONES;
    if (size >= BLOCK_BYTES) {
        uint64_t whole = size - size % LANE_BYTES;
        state = fold_all(data, whole, state);
        data += whole;
        size -= whole;
    }
    for (; size != 0u; data++, size--) {
        state ^= *data;
        for (unsigned bit = 0; bit < BITS_PER_BYTE; bit++) {
            state = state >> 1 ^ ((state & 1u) != 0u ? POLYNOMIAL : 0u);
        }
    }
    return ~state;
}

#else

int tt_crc32_available(void)
{
    return 0;
}

uint32_t tt_crc32(const uint8_t *data, uint64_t size)
{
    (void)data;
    (void)size;
    return 0;
}

#endif
