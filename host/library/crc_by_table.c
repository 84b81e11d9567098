/* A separate file, because tickertape/crc.h and interface.h both declare a tt_crc32(). */
#include "crc.h"

#include "tickertape/crc.h"

#define MOST_BYTES (1u << 30u) /* limit per call of tt_crc32_update() */

uint32_t crc_by_table(const uint8_t *bytes, uint64_t size)
{
    uint32_t crc = TT_CRC32_START;
    while (size != 0u) {
        uint32_t count = size < MOST_BYTES ? (uint32_t)size : MOST_BYTES;
        crc = tt_crc32_update(crc, bytes, count);
        bytes += count;
        size -= count;
    }
    return ~crc;
}
