/*
 * core/pack.h - encode records as a packed body (protocol/SPEC.md, "Packed records").
 *
 * Encoding runs in the drain, never in the emitter. It overwrites the records that it has read, so
 * it needs no second buffer: the values of a record never take more room than the record. Drain
 * thread only.
 */
#ifndef TICKERTAPE_CORE_PACK_H
#define TICKERTAPE_CORE_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/tickertape.h"

/* Size of the hash table that finds a kind by its header: 2 to the power of TT_PACK_PLACE_BITS. */
#define TT_PACK_PLACE_BITS (TT_CONFIG_SMALL_PACKING ? 6u : 7u)
#define TT_PACK_PLACES     (1u << TT_PACK_PLACE_BITS)

/* A known kind of records: all with the same header. It stays known from body to body. */
typedef struct tt_pack_kind {
    uint32_t header;
    uint32_t use; /* number in the body << 24 | tt_predictor_t of its two words, four bits each, <<
                     16 | number of its records in the body */
#if !TT_CONFIG_SMALL_PACKING
    uint32_t *predicted[2]; /* the values that predict its two words */
#endif
    uint32_t last[2]; /* these values, unless the kind shares them with others */
} tt_pack_kind_t;

/* Reference to a kind in a table. */
#if TT_CONFIG_SMALL_PACKING
typedef uint8_t tt_pack_ref_t; /* its index in `kinds` */
#else
typedef tt_pack_kind_t *tt_pack_ref_t;
#endif

#define TT_PACK_NUMBER_SHIFT     24u
#define TT_PACK_PREDICTORS_SHIFT 16u
#define TT_PACK_PREDICTORS_MASK  0xff0000u
#define TT_PACK_RECORDS_MASK     0xffffu

/* One packed body, and the state that earlier bodies have left. */
typedef struct tt_pack {
    tt_pack_ref_t kind_at[TT_PACK_PLACES]; /* by hash of the header: the kind found last there */
#if !TT_CONFIG_SMALL_PACKING
    uint32_t factor;         /* factor of the hash, chosen so that known kinds do not collide */
    uint16_t time_costs[33]; /* encoding of a time by its leading zeros, see pack.c */
    uint8_t factors_left;    /* factors to try until another kind becomes known */
    bool collided;           /* two kinds of the body have the same hash */
#endif
    uint8_t time_nibbles; /* usual length of a time, in half bytes */
    uint8_t known_count;  /* kinds in use */
    uint8_t kind_count;   /* number of kinds in the body, in the order of `kind_of` */
    tt_pack_ref_t kind_of[TT_PACK_KINDS];
    /* In any record: the last word that was a thread number, and that was an object. */
    uint32_t shared[2];
    uint32_t record_count;
    uint8_t *escape_end;
    uint32_t value_bytes;
    tt_pack_kind_t kinds[TT_PACK_KINDS];
    uint8_t control[TT_SLICE_RECORDS];
    uint8_t escapes[TT_SLICE_RECORDS + 1u]; /* and padding */
} tt_pack_t;

/* Largest header of a packed body, bytes: four counters of 64 bits, one of 32 bits, one of 14 bits,
 * each as ULEB128, and the number of the buffer. */
#define TT_PACK_HEADER_BYTES (4u * 10u + 5u + 2u + 1u)
_Static_assert(TT_SLICE_RECORDS < (1u << 14), "two bytes contain the number of records of a body");

/* Forget all kinds of records. Call it before any other function. */
void tt_pack_reset(tt_pack_t *pack);

/*
 * Encode as many of `count` records as one body takes, at least one, in their own memory. `time` is
 * the 32-bit time that the first record's time is counted from. Returns how many records were
 * encoded; `records` then contains their values, value_bytes long.
 */
uint32_t tt_pack_encode(tt_pack_t *pack, tt_record_t *records, uint32_t count, uint32_t time);

/* Write a part of the encoded table of kinds, from kind *next on; set *next to 0 for the first
 * part. Returns the length of the part in bytes; after the last part *next is kind_count. */
#define TT_PACK_TABLE_PART_BYTES (TT_CONFIG_SMALL_PACKING ? 56u : 104u)
uint32_t tt_pack_table(tt_pack_t *pack, uint32_t *next, uint8_t part[TT_PACK_TABLE_PART_BYTES]);

/* Encode the escapes in place, in pack->escapes, and return their length in bytes. */
uint32_t tt_pack_escapes(tt_pack_t *pack);

/* End a body: add its records to the counters by class, and choose the direct kinds of the next
 * body. These are the same ones, except that the least frequent of them is replaced by the most
 * frequent other kind, if that was more frequent. */
void tt_pack_end(tt_pack_t *pack, _Atomic uint32_t *records_by_class);

/* Write `value` as ULEB128 and return the byte after it. */
uint8_t *tt_pack_varint(uint8_t *out, uint64_t value);

#endif
