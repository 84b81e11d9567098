/*
 * core/pack.h - records to a packed body (protocol/SPEC.md, "Packed records").
 *
 * Encoding runs in the drain, never in the emitter. It writes over the records that it reads, so
 * it needs no second buffer: the values of one record never take more than the record itself.
 */
#ifndef TICKERTAPE_CORE_PACK_H
#define TICKERTAPE_CORE_PACK_H

#include <stdint.h>

#include "tickertape/tickertape.h"

/* Kinds of records (different headers) in one packed body; with more of them, one body ends and
 * another begins. */
#define TT_PACK_SLOTS 48u

/* A kind of record: its header, and where the values are kept that its words are predicted from. */
typedef struct tt_pack_slot {
    uint32_t header;
    uint32_t *predicted[2];
    uint32_t last[2];
    uint32_t count;
} tt_pack_slot_t;

/* One packed body. The slots keep their order of frequency for the next one. */
typedef struct tt_pack {
    uint32_t thread; /* last thread number in any record */
    uint32_t object; /* last object in any record */
    uint32_t time;   /* low word of the last record's time */
    uint32_t slot_count;
    uint32_t record_count;
    uint32_t escape_count;
    uint32_t value_bytes;
    uint8_t time_nibbles;
    tt_pack_slot_t slots[TT_PACK_SLOTS];
    uint8_t control[TT_CONFIG_BUFFER_RECORDS];
    uint8_t escapes[TT_CONFIG_BUFFER_RECORDS];
    uint8_t table[2u * 10u + TT_PACK_SLOTS * 6u]; /* see tt_pack_table() */
} tt_pack_t;

/*
 * Encode as many of `count` records as one body takes, at least one, over their own memory.
 * `ticks` is the time the first one is counted from. Returns how many were encoded; their values
 * then stand at `records`, value_bytes long.
 */
uint32_t tt_pack_encode(tt_pack_t *pack, tt_record_t *records, uint32_t count, uint64_t ticks);

/* Write the table of kinds, as the body has it, into pack->table and return its length. */
uint32_t tt_pack_table(tt_pack_t *pack);

/* Escapes as the body has them, in place in pack->escapes; returns their length in bytes. */
uint32_t tt_pack_escapes(tt_pack_t *pack);

/* Write `value` as ULEB128 and return the byte behind it. */
uint8_t *tt_pack_varint(uint8_t *out, uint64_t value);

#endif
