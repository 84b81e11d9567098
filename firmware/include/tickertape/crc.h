/* tickertape/crc.h - CRC-32 of IEEE 802.3, the one of zlib and Ethernet. */
#ifndef TICKERTAPE_CRC_H
#define TICKERTAPE_CRC_H

#include <stdint.h>

#include "tickertape/language.h"

#define TT_CRC32_START 0xffffffffu /* initial value; the CRC is the complement of the result */

TT_C_BEGIN
/* Return `crc`, the initial value or an earlier result, updated by `count` further bytes. Any
 * context. */
uint32_t tt_crc32_update(uint32_t crc, const uint8_t *bytes, uint32_t count);
TT_C_END

/* Return the CRC of `count` bytes. Any context. */
static inline uint32_t tt_crc32(const uint8_t *bytes, uint32_t count)
{
    return ~tt_crc32_update(TT_CRC32_START, bytes, count);
}

#endif
