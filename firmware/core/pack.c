#include "pack.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "ring.h"
#include "tickertape/events.h"

#if TT_CONFIG_PACKING

#define DIRECT_SLOTS   3u /* named by the control byte itself; code 3 says: look at the escapes */
#define NIBBLE_ESCAPES 16u

/* Control byte of a record. */
#define CONTROL_TIME_SHIFT  2u
#define CONTROL_WORD0_SHIFT 4u
#define CONTROL_WORD1_SHIFT 6u

/* Length code of a word by its number of significant bits, and the lengths in bits. */
static const uint8_t word_code[33] = {0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3,
                                      3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
static const uint8_t word_bits[4] = {0, 4, 8, 32};

static inline uint32_t significant_bits(uint32_t value)
{
    return value == 0u ? 0u : 32u - (uint32_t)__builtin_clz(value);
}

/* The end of the values written so far. Whole words are stored, so writing stays behind reading:
 * a record takes at most 96 bits of values and has 128. */
typedef struct tt_bit_writer {
    uint32_t *out;
    uint32_t pending; /* the low `fill` bits are not stored yet */
    uint32_t fill;    /* 0-31 */
} tt_bit_writer_t;

static inline void put(tt_bit_writer_t *writer, uint32_t value, uint32_t bits)
{
    uint32_t fill = writer->fill;
    writer->pending |= value << fill;
    writer->fill = fill + bits;
    if (writer->fill >= 32u) {
        *writer->out++ = writer->pending;
        writer->pending = (value >> 1) >> (31u - fill);
        writer->fill -= 32u;
    }
}

static void open_slot(tt_pack_t *pack, tt_pack_slot_t *slot, uint32_t header)
{
    slot->header = header;
    slot->count = 0;
    memset(slot->last, 0, sizeof slot->last);
    uint32_t predictors = 0;
    if ((header & TT_RECORD_STRUCT_MASK) == 0u) {
        predictors = tt_route_predictors[tt_route_index(tt_record_class(header),
                                                        header & TT_RECORD_EVENT_MASK)];
    }
    for (uint32_t i = 0; i < 2u; i++) {
        uint32_t kind = (predictors >> (4u * i)) & 15u;
        slot->predicted[i] = kind == TT_PREDICTOR_THREAD   ? &pack->thread
                             : kind == TT_PREDICTOR_OBJECT ? &pack->object
                                                           : &slot->last[i];
    }
}

/* Begin with the three most frequent kinds of the last body, which are likely again. */
static void begin(tt_pack_t *pack, const tt_record_t *records, uint32_t count, uint64_t ticks)
{
    uint32_t headers[DIRECT_SLOTS];
    uint32_t kept = 0;
    while (kept < DIRECT_SLOTS && kept < pack->slot_count) {
        tt_pack_slot_t *best = &pack->slots[0];
        for (uint32_t i = 1; i < pack->slot_count; i++) {
            best = pack->slots[i].count > best->count ? &pack->slots[i] : best;
        }
        headers[kept++] = best->header;
        best->count = 0;
    }
    pack->thread = 0;
    pack->object = 0;
    pack->time = (uint32_t)ticks;
    pack->record_count = 0;
    pack->escape_count = 0;
    pack->slot_count = kept;
    for (uint32_t i = 0; i < kept; i++) {
        open_slot(pack, &pack->slots[i], headers[i]);
    }
    uint32_t mean = (records[count - 1u].time - pack->time) / count;
    uint32_t nibbles = (significant_bits(mean) + 3u) / 4u;
    pack->time_nibbles = (uint8_t)(nibbles < 1u ? 1u : nibbles > 7u ? 7u : nibbles);
}

/* The slot of a header beyond the direct ones; NULL when all are taken by others. */
static tt_pack_slot_t *find_slot(tt_pack_t *pack, uint32_t header)
{
    uint32_t count = pack->slot_count;
    for (uint32_t i = 0; i < count; i++) {
        if (pack->slots[i].header == header) {
            return &pack->slots[i];
        }
    }
    if (count == TT_PACK_SLOTS) {
        return NULL;
    }
    pack->slot_count++;
    open_slot(pack, &pack->slots[count], header);
    return &pack->slots[count];
}

/* What a word differs in from its prediction. */
static inline uint32_t difference(uint32_t *predicted, uint32_t value)
{
    uint32_t before = *predicted;
    *predicted = value;
    return before ^ value;
}

/* Length codes of times: 0, n, n + 1 or 8 nibbles, where n suits the mean of this body. */
static void make_time_codes(uint32_t nibbles, uint8_t code[33], uint8_t bits[4])
{
    bits[0] = 0;
    bits[1] = (uint8_t)(4u * nibbles);
    bits[2] = (uint8_t)(4u * nibbles + 4u);
    bits[3] = 32;
    for (uint32_t i = 0; i <= 32u; i++) {
        code[i] = i == 0u ? 0u : i <= bits[1] ? 1u : i <= bits[2] ? 2u : 3u;
    }
}

uint32_t tt_pack_encode(tt_pack_t *pack, tt_record_t *records, uint32_t count, uint64_t ticks)
{
    uint8_t time_code[33];
    uint8_t time_bits[4];
    begin(pack, records, count, ticks);
    make_time_codes(pack->time_nibbles, time_code, time_bits);
    tt_bit_writer_t writer = {.out = &records[0].header};
    uint32_t time = pack->time;
    uint32_t done = 0;
    for (; done < count; done++) {
        const tt_record_t record = records[done];
        tt_pack_slot_t *slot = &pack->slots[0];
        uint32_t control = 0;
        if (record.header != slot[0].header || pack->slot_count == 0u) {
            slot = find_slot(pack, record.header);
            if (slot == NULL) {
                break;
            }
            control = (uint32_t)(slot - pack->slots);
            if (control >= DIRECT_SLOTS) {
                pack->escapes[pack->escape_count++] = (uint8_t)(control - DIRECT_SLOTS);
                control = DIRECT_SLOTS;
            }
        }
        slot->count++;
        uint32_t delta = record.time - time;
        uint32_t word0 = difference(slot->predicted[0], record.data[0]);
        uint32_t word1 = difference(slot->predicted[1], record.data[1]);
        uint32_t code = time_code[significant_bits(delta)];
        uint32_t code0 = word_code[significant_bits(word0)];
        uint32_t code1 = word_code[significant_bits(word1)];
        time = record.time;
        pack->control[done] =
            (uint8_t)(control | code << CONTROL_TIME_SHIFT | code0 << CONTROL_WORD0_SHIFT |
                      code1 << CONTROL_WORD1_SHIFT);
        put(&writer, delta, time_bits[code]);
        put(&writer, word0, word_bits[code0]);
        put(&writer, word1, word_bits[code1]);
    }
    *writer.out = writer.pending;
    pack->time = time;
    pack->record_count = done;
    pack->value_bytes =
        (uint32_t)((uint8_t *)writer.out - (uint8_t *)records) + (writer.fill + 7u) / 8u;
    return done;
}

uint8_t *tt_pack_varint(uint8_t *out, uint64_t value)
{
    while (value >= 0x80u) {
        *out++ = (uint8_t)(value | 0x80u);
        value >>= 7;
    }
    *out++ = (uint8_t)value;
    return out;
}

static uint32_t kind_of(const tt_pack_t *pack, const tt_pack_slot_t *slot, uint32_t word)
{
    const uint32_t *from = slot->predicted[word];
    if (from == &pack->thread) {
        return TT_PREDICTOR_THREAD;
    }
    return from == &pack->object ? TT_PREDICTOR_OBJECT : TT_PREDICTOR_SAME;
}

uint32_t tt_pack_table(tt_pack_t *pack)
{
    uint8_t *out = pack->table;
    *out++ = pack->time_nibbles;
    *out++ = (uint8_t)pack->slot_count;
    for (uint32_t i = 0; i < pack->slot_count; i++) {
        const tt_pack_slot_t *slot = &pack->slots[i];
        uint32_t kinds = kind_of(pack, slot, 0) | kind_of(pack, slot, 1) << 4;
        *out++ = (uint8_t)kinds;
        out = tt_pack_varint(out, slot->header);
    }
    return (uint32_t)(out - pack->table);
}

/* Two to a byte when all kinds fit half a byte, else as they are. */
uint32_t tt_pack_escapes(tt_pack_t *pack)
{
    if (pack->slot_count > DIRECT_SLOTS + NIBBLE_ESCAPES) {
        return pack->escape_count;
    }
    uint32_t count = pack->escape_count;
    for (uint32_t i = 0; i < count; i += 2u) {
        uint32_t high = i + 1u < count ? pack->escapes[i + 1u] : 0u;
        pack->escapes[i / 2u] = (uint8_t)(pack->escapes[i] | high << 4);
    }
    return (count + 1u) / 2u;
}

#endif
