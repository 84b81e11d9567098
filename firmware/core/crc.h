/*
 * core/crc.h - the CRC over a byte and over a word, for loops that also do something else with
 * them. TT_CONFIG_CRC_TABLE chooses between two table lookups for each byte and one.
 */
#ifndef TICKERTAPE_CORE_CRC_H
#define TICKERTAPE_CORE_CRC_H

#include <stdint.h>

#include "tickertape/config.h"

extern const uint32_t tt_crc_table[TT_CONFIG_CRC_TABLE / 4];

#define TT_CRC_STEP static inline __attribute__((always_inline)) uint32_t

/* `crc` after a byte, which was added to its low bits by exclusive or. */
TT_CRC_STEP tt_crc_after_byte(uint32_t crc)
{
#if TT_CONFIG_CRC_TABLE == 64
    crc = (crc >> 4) ^ tt_crc_table[crc & 15u];
    return (crc >> 4) ^ tt_crc_table[crc & 15u];
#else
    return (crc >> 8) ^ tt_crc_table[crc & 255u];
#endif
}

/* The same after the four bytes of a word, its low byte first. */
TT_CRC_STEP tt_crc_after_word(uint32_t crc)
{
    crc = tt_crc_after_byte(tt_crc_after_byte(crc));
    return tt_crc_after_byte(tt_crc_after_byte(crc));
}

#endif
