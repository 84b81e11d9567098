#include "crc.h"

#include "interface.h"

/* Least size for tt_crc32(): its fixed cost exceeds its gain on fewer bytes. */
#define FEW_BYTES 64u

uint32_t crc_of(const uint8_t *bytes, uint64_t size)
{
    return size >= FEW_BYTES && tt_crc32_available() != 0 ? tt_crc32(bytes, size)
                                                          : crc_by_table(bytes, size);
}
