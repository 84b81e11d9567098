/*
 * core/pack.h - records to a packed body (protocol/SPEC.md, "Packed records").
 *
 * Encoding runs in the drain, never in the emitter. It writes over the records that it reads, so
 * it needs no second buffer: the values of one record never take more than the record itself.
 */
#ifndef TICKERTAPE_CORE_PACK_H
#define TICKERTAPE_CORE_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/tickertape.h"

/* Places of the table that finds a kind by its header: 2 to the power of TT_PACK_PLACE_BITS. */
#define TT_PACK_PLACE_BITS 7u
#define TT_PACK_PLACES     (1u << TT_PACK_PLACE_BITS)

/* A known kind of record. It stays known from body to body. */
typedef struct tt_pack_kind {
    uint32_t header;
    uint32_t use; /* number in the body << 24 | tt_predictor_t of its words, four bits each, << 16
                   * | how many records of it the body has */
    uint32_t *predicted[2]; /* values that its words are predicted from */
    uint32_t last[2];       /* here, unless it shares them with other kinds */
} tt_pack_kind_t;

#define TT_PACK_NUMBER_SHIFT     24u
#define TT_PACK_PREDICTORS_SHIFT 16u
#define TT_PACK_PREDICTORS_MASK  0xff0000u
#define TT_PACK_RECORDS_MASK     0xffffu

/* One packed body, and the state from those before it. */
typedef struct tt_pack {
    tt_pack_kind_t *kind_at[TT_PACK_PLACES]; /* by hash of the header: the kind met last there */
    uint32_t factor;                         /* of the hash, so that known kinds do not collide */
    uint16_t time_costs[33];                 /* of a time by its leading zeros, see pack.c */
    uint8_t time_nibbles;                    /* the usual length of a time */
    uint8_t known_count;                     /* kinds in use */
    uint8_t factors_left;                    /* to try, until another kind is learnt */
    bool collided;                           /* two kinds of the body have the same place */
    uint8_t kind_count;                      /* kinds of the body, in this order: */
    tt_pack_kind_t *kind_of[TT_PACK_KINDS];
    uint32_t thread; /* last thread number in any record */
    uint32_t object; /* last object in any record */
    uint32_t record_count;
    uint8_t *escape_end;
    uint32_t value_bytes;
    tt_pack_kind_t kinds[TT_PACK_KINDS];
    uint8_t control[TT_SLICE_RECORDS];
    uint8_t escapes[TT_SLICE_RECORDS + 1u]; /* and padding */
} tt_pack_t;

/* A packed body's first bytes at most: four counters of 64 bits, one of 32 bits, one of 14 bits,
 * each as ULEB128, and the buffer. */
#define TT_PACK_HEADER_BYTES (4u * 10u + 5u + 2u + 1u)
_Static_assert(TT_SLICE_RECORDS < (1u << 14), "two bytes contain the number of records of a body");

/* Forget all kinds of records. Call it first. */
void tt_pack_reset(tt_pack_t *pack);

/*
 * Encode as many of `count` records as one body takes, at least one, over their own memory.
 * `time` is the base of the first one's time. Returns how many were encoded; their values
 * are then at `records`, value_bytes long.
 */
uint32_t tt_pack_encode(tt_pack_t *pack, tt_record_t *records, uint32_t count, uint32_t time);

/* Write a part of the table of kinds, as the body has it, from kind *next on, which is 0 for the
 * first part. Returns its length; *next is kind_count after the last part. */
#define TT_PACK_TABLE_PART_BYTES 104u
uint32_t tt_pack_table(const tt_pack_t *pack, uint32_t *next,
                       uint8_t part[TT_PACK_TABLE_PART_BYTES]);

/* Escapes as the body has them, in place in pack->escapes; returns their length in bytes. */
uint32_t tt_pack_escapes(tt_pack_t *pack);

/* End a body: count its records by class, and choose the direct kinds of the next one: those of
 * this one, but the most frequent of its others replaces the least frequent of them. */
void tt_pack_end(tt_pack_t *pack, _Atomic uint32_t *records_by_class);

/* Write `value` as ULEB128 and return the byte after it. */
uint8_t *tt_pack_varint(uint8_t *out, uint64_t value);

#endif
