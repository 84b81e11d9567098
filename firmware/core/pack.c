#include "pack.h"

#include <stdbool.h>
#include <stddef.h>

#include "pack_kinds.h"

#if TT_CONFIG_PACKING

/* The encoder's loop has just enough registers. Functions for rare cases are not inlined, so that
 * they cost it none. */
#define RARE   static __attribute__((noinline))
#define COMMON static inline __attribute__((always_inline))

/* Make the compiler keep this value in a register here. */
#define KEEP(value) __asm("" : "+r"(value))

/* Escapes take half a byte each when all are below this. */
#define NIBBLE_ESCAPES 16u

/* Control byte of a record: the kind in bits 1-0, 3 3 for an escape; the length codes. */
#define TIME_SHIFT  2u
#define WORD0_SHIFT 4u
#define WORD1_SHIFT 6u

/* An entry of time_costs: the number of bits of a time, and its length code in the control byte. 33
 * stands for 32 bits, so that such a time never fits one word with other values. */
#define COST_BITS_SHIFT 8u
#define BITS_OF(cost)   (((cost) >> COST_BITS_SHIFT) & ~1u)

/* Number of bits of a word by its length code. */
static const uint8_t word_bits[4] = {0, 4, 8, 32};

/* Number of bits of a short word (nearly all words are short): four times its length code. A build
 * for size computes it, and contains encode() only once. */
#define SHORT_WORDS 256u
#if TT_CONFIG_SMALL_PACKING || defined(__OPTIMIZE_SIZE__)
#define RECORDS_A_TURN 1u

static inline uint32_t bits_of_short(uint32_t word)
{
    return word >= 16u ? 8u : word > 0u ? 4u : 0u;
}
#else
#define RECORDS_A_TURN 2u /* per iteration; 3 instructions less for a record than with 1 */

#define FOUR(bits)    bits, bits, bits, bits
#define SIXTEEN(bits) FOUR(bits), FOUR(bits), FOUR(bits), FOUR(bits)
static const uint8_t short_bits[SHORT_WORDS] = {
    0,          4,          4,          4,          FOUR(4),    FOUR(4),    FOUR(4),    SIXTEEN(8),
    SIXTEEN(8), SIXTEEN(8), SIXTEEN(8), SIXTEEN(8), SIXTEEN(8), SIXTEEN(8), SIXTEEN(8), SIXTEEN(8),
    SIXTEEN(8), SIXTEEN(8), SIXTEEN(8), SIXTEEN(8), SIXTEEN(8), SIXTEEN(8),
};

static inline uint32_t bits_of_short(uint32_t word)
{
    return short_bits[word];
}
#endif

static inline uint32_t leading_zeros(uint32_t value)
{
    return value == 0u ? 32u : (uint32_t)__builtin_clz(value);
}

/* Position after the values written so far. The writer stores whole words and never overtakes the
 * reader, because the values of a record take at most 96 of its 128 bits. */
typedef struct tt_bit_writer {
    uint32_t *out;
    uint32_t pending; /* `fill` bits that are not stored yet */
    uint32_t fill;    /* 0-31 */
} tt_bit_writer_t;

/* Write a value of `bits` bits; its other bits are 0. */
COMMON void put(tt_bit_writer_t *writer, uint32_t value, uint32_t bits)
{
    uint32_t fill = writer->fill;
    writer->pending |= value << fill;
    writer->fill = fill + bits;
    if (writer->fill >= 32u) {
        *writer->out++ = writer->pending;
        /* The remaining bits. Two shifts, because a shift by 32 is undefined. */
        writer->pending = (value >> 1) >> (31u - fill);
        writer->fill -= 32u;
    }
}

/* Return the usual length of a time in the body, in half bytes: that of the mean. `span` is the
 * time from the first to the last of `count` records. */
static inline uint32_t usual_nibbles(uint32_t span, uint32_t count)
{
    uint32_t mean = (int32_t)span > 0 ? span / count : 0u; /* an END may be older than the first */
    uint32_t nibbles = (35u - leading_zeros(mean)) / 4u;
    return nibbles < 1u ? 1u : nibbles > 7u ? 7u : nibbles;
}

/* Choose the lengths of times in the body: 0, the usual length, 4 bits more, or 32 bits. */
#if TT_CONFIG_SMALL_PACKING

static inline void choose_time_costs(tt_pack_t *pack, uint32_t span, uint32_t count)
{
    pack->time_nibbles = (uint8_t)usual_nibbles(span, count);
}

COMMON uint32_t time_cost(const tt_pack_t *pack, uint32_t passed)
{
    uint32_t usual = 4u * pack->time_nibbles;
    if (passed == 0u) {
        return 0;
    }
    if (passed >> usual == 0u) {
        return usual << COST_BITS_SHIFT | 1u << TIME_SHIFT;
    }
    if (usual < 28u && passed >> (usual + 4u) == 0u) {
        return (usual + 4u) << COST_BITS_SHIFT | 2u << TIME_SHIFT;
    }
    return 33u << COST_BITS_SHIFT | (usual < 28u ? 3u : 2u) << TIME_SHIFT;
}

#else

COMMON uint32_t time_cost(const tt_pack_t *pack, uint32_t passed)
{
    return pack->time_costs[leading_zeros(passed)];
}

RARE void choose_time_costs(tt_pack_t *pack, uint32_t span, uint32_t count)
{
    uint32_t nibbles = usual_nibbles(span, count);
    if (nibbles == pack->time_nibbles) {
        return;
    }
    pack->time_nibbles = (uint8_t)nibbles;
    const uint32_t lengths[4] = {0, 4u * nibbles, 4u * nibbles + 4u, 32};
    for (uint32_t zeros = 0; zeros <= 32u; zeros++) {
        uint32_t code = 0;
        while (lengths[code] < 32u - zeros) {
            code++;
        }
        uint32_t bits = lengths[code] + lengths[code] / 32u;
        pack->time_costs[zeros] = (uint16_t)(bits << COST_BITS_SHIFT | code << TIME_SHIFT);
    }
}

#endif

/* Return the difference (XOR) of a word and its prediction, and predict the next one from it. */
COMMON uint32_t difference(uint32_t *predicted, uint32_t value)
{
    uint32_t before = *predicted;
    *predicted = value;
    return before ^ value;
}

/* Return the code of a kind in the control byte: its number if it is a direct kind, else 3 and an
 * escape. */
COMMON uint32_t escape(tt_pack_t *pack, uint32_t use)
{
    uint32_t number = use >> TT_PACK_NUMBER_SHIFT;
    if (number < TT_PACK_DIRECT_KINDS) {
        return number;
    }
    *pack->escape_end++ = (uint8_t)(number - TT_PACK_DIRECT_KINDS);
    return TT_PACK_DIRECT_KINDS;
}

static uint32_t word_code(uint32_t word)
{
    return word < SHORT_WORDS ? bits_of_short(word) / 4u : 3u;
}

#if !TT_CONFIG_SMALL_PACKING

/* Finish encode() for a record with a word that is not short. */
RARE tt_bit_writer_t put_long(tt_bit_writer_t writer, uint8_t *control, uint32_t cost,
                              const uint32_t values[3])
{
    uint32_t code0 = word_code(values[1]);
    uint32_t code1 = word_code(values[2]);
    *control = (uint8_t)(cost | code0 << WORD0_SHIFT | code1 << WORD1_SHIFT);
    put(&writer, values[0], BITS_OF(cost));
    put(&writer, values[1], word_bits[code0]);
    put(&writer, values[2], word_bits[code1]);
    return writer;
}

/* Write the time and the words of a record; `words` contains both words, `words_bits` long. */
COMMON void put_short(tt_bit_writer_t *writer, uint32_t passed, uint32_t cost, uint32_t words,
                      uint32_t words_bits)
{
    uint32_t passed_bits = cost >> COST_BITS_SHIFT;
    if (passed_bits + words_bits <= 32u) {
        put(writer, passed | words << passed_bits, passed_bits + words_bits);
    } else {
        put(writer, passed, BITS_OF(cost));
        put(writer, words, words_bits);
    }
}

#endif

/* Encode one record; `passed` is the time since the previous one, in ticks. Returns false when the
 * body has no room for its kind. */
COMMON bool encode(tt_pack_t *pack, const tt_record_t *record, uint32_t passed, uint8_t *control,
                   tt_bit_writer_t *writer)
{
    tt_pack_kind_t *kind = tt_pack_kind(pack, *tt_pack_first_place(pack, record->header));
    uint32_t use = kind->use;
    if (kind->header != record->header) {
        kind = tt_pack_find_kind(pack, record->header);
        if (kind == NULL) {
            return false;
        }
        use = kind->use;
    }
    uint32_t code = use >> TT_PACK_NUMBER_SHIFT;
    if (code >= TT_PACK_DIRECT_KINDS) {
        use = code == TT_PACK_NO_NUMBER ? tt_pack_take_in(pack, kind) : use;
        code = escape(pack, use);
    }
    kind->use = use + 1u;
#if TT_CONFIG_SMALL_PACKING
    /* One loop writes the time and the two words. It reads a word before it may write over it. */
    uint32_t cost = time_cost(pack, passed) + code;
    uint32_t value = passed;
    uint32_t bits = BITS_OF(cost);
    for (uint32_t word = 0;; word++) {
        put(writer, value, bits);
        if (word == 2u) {
            break;
        }
        value = difference(tt_pack_predicted(pack, kind, word), record->data[word]);
        uint32_t word_length = word_code(value);
        bits = word_bits[word_length];
        cost |= word_length << (WORD0_SHIFT + 2u * word);
    }
    *control = (uint8_t)cost;
#else
    uint32_t data0 = record->data[0];
    uint32_t data1 = record->data[1];
    uint32_t cost = time_cost(pack, passed) + code;
    KEEP(cost); /* else the compiler stores it on the stack */
    uint32_t word0 = difference(tt_pack_predicted(pack, kind, 0), data0);
    uint32_t word1 = difference(tt_pack_predicted(pack, kind, 1), data1);
    if ((word0 | word1) >= SHORT_WORDS) {
        *writer = put_long(*writer, control, cost, (const uint32_t[]){passed, word0, word1});
        return true;
    }
    uint32_t bits0 = bits_of_short(word0);
    uint32_t bits1 = bits_of_short(word1);
    *control = (uint8_t)(cost + ((bits0 + (bits1 << 2)) << 2));
    put_short(writer, passed, cost, word0 | word1 << bits0, bits0 + bits1);
#endif
    return true;
}

/* Store the last bits of a body with the records from `records` up to `end` (exclusive). Returns
 * the number of records. */
RARE uint32_t finish(tt_pack_t *pack, tt_record_t *records, const tt_record_t *end,
                     tt_bit_writer_t writer)
{
    *writer.out = writer.pending;
    pack->record_count = (uint32_t)(end - records);
    pack->value_bytes = (uint32_t)((uint8_t *)writer.out - (uint8_t *)records);
    pack->value_bytes += (writer.fill + 7u) / 8u;
    return pack->record_count;
}

uint32_t tt_pack_encode(tt_pack_t *pack, tt_record_t *records, uint32_t count, uint32_t time)
{
    tt_pack_begin(pack);
    choose_time_costs(pack, records[count - 1u].time - records[0].time, count);
    tt_bit_writer_t writer = {.out = (uint32_t *)(void *)records};
    uint8_t *control = pack->control;
    const tt_record_t *record = records;
    const tt_record_t *end = records + count;
#if RECORDS_A_TURN == 2
    if ((count & 1u) != 0u) { /* the body always has room for its first record */
        uint32_t first_time = record->time;
        (void)encode(pack, record, first_time - time, control, &writer);
        time = first_time;
        record++;
        control++;
    }
    for (; record != end; record += 2, control += 2) {
        uint32_t first_time = record[0].time;
        if (!encode(pack, &record[0], first_time - time, &control[0], &writer)) {
            return finish(pack, records, &record[0], writer);
        }
        time = record[1].time;
        if (!encode(pack, &record[1], time - first_time, &control[1], &writer)) {
            return finish(pack, records, &record[1], writer);
        }
    }
#else
    for (; record != end; record++, control++) {
        uint32_t before = time;
        time = record->time;
        if (!encode(pack, record, time - before, control, &writer)) {
            break;
        }
    }
    end = record;
#endif
    return finish(pack, records, end, writer);
}

uint8_t *tt_pack_varint(uint8_t *out, uint64_t value)
{
    while (value >> 32 != 0u) { /* rare: 64-bit shifts are slow */
        *out++ = (uint8_t)(value | 0x80u);
        value >>= 7;
    }
    uint32_t rest = (uint32_t)value;
    while (rest >= 0x80u) {
        *out++ = (uint8_t)(rest | 0x80u);
        rest >>= 7;
    }
    *out++ = (uint8_t)rest;
    return out;
}

uint32_t tt_pack_table(tt_pack_t *pack, uint32_t *next, uint8_t part[TT_PACK_TABLE_PART_BYTES])
{
    uint8_t *out = part;
    uint32_t i = *next;
    if (i == 0u) {
        *out++ = pack->time_nibbles;
        *out++ = pack->kind_count;
    }
    uint32_t end = i + (TT_PACK_TABLE_PART_BYTES - 2u) / TT_PACK_KIND_BYTES;
    end = end < pack->kind_count ? end : pack->kind_count;
    for (; i < end; i++) {
        const tt_pack_kind_t *kind = tt_pack_kind(pack, pack->kind_of[i]);
        *out++ = (uint8_t)(kind->use >> TT_PACK_PREDICTORS_SHIFT);
        out = tt_pack_varint(out, kind->header);
    }
    *next = i;
    return (uint32_t)(out - part);
}

/* Two escapes share a byte when all kinds fit half a byte; else each takes one. */
uint32_t tt_pack_escapes(tt_pack_t *pack)
{
    uint8_t *end = pack->escape_end;
    uint8_t *out = end;
    if (pack->kind_count <= TT_PACK_DIRECT_KINDS + NIBBLE_ESCAPES) {
        *end = 0; /* padding for an odd number */
        out = pack->escapes;
        if (end > pack->escapes + TT_SLICE_RECORDS) {
            __builtin_unreachable(); /* else gcc -O3 warns about vector stores beyond the end */
        }
        for (const uint8_t *in = pack->escapes; in < end; in += 2) {
            *out++ = (uint8_t)(in[0] | in[1] << 4);
        }
    }
    return (uint32_t)(out - pack->escapes);
}

#endif
