/*
 * core/crc.h - one step of the CRC, over a byte or a word, for loops that also encode the bytes.
 * TT_CONFIG_CRC_TABLE 64 takes two table lookups per byte, 1024 takes one.
 */
#ifndef TICKERTAPE_CORE_CRC_H
#define TICKERTAPE_CORE_CRC_H

#include <stdint.h>

#include "tickertape/config.h"

extern const uint32_t tt_crc_table[TT_CONFIG_CRC_TABLE / 4];

#define TT_CRC_STEP static inline __attribute__((always_inline)) uint32_t

/* Return the CRC after a byte. The caller has XORed the byte into the low bits of `crc`. */
TT_CRC_STEP tt_crc_after_byte(uint32_t crc)
{
#if TT_CONFIG_CRC_TABLE == 64
    crc = (crc >> 4) ^ tt_crc_table[crc & 15u];
    return (crc >> 4) ^ tt_crc_table[crc & 15u];
#else
    return (crc >> 8) ^ tt_crc_table[crc & 255u];
#endif
}

/* As tt_crc_after_byte() for the four bytes of a word, the low byte first. */
TT_CRC_STEP tt_crc_after_word(uint32_t crc)
{
    crc = tt_crc_after_byte(tt_crc_after_byte(crc));
    return tt_crc_after_byte(tt_crc_after_byte(crc));
}

#endif
