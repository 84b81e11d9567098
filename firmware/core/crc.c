#include "tickertape/crc.h"

/* Reflected polynomial 0xedb88320, by half bytes: 64 bytes of table instead of 1024. */
static const uint32_t crc_of_nibble[16] = {
    0x00000000u, 0x1db71064u, 0x3b6e20c8u, 0x26d930acu, 0x76dc4190u, 0x6b6b51f4u,
    0x4db26158u, 0x5005713cu, 0xedb88320u, 0xf00f9344u, 0xd6d6a3e8u, 0xcb61b38cu,
    0x9b64c2b0u, 0x86d3d2d4u, 0xa00ae278u, 0xbdbdf21cu,
};

uint32_t tt_crc32_update(uint32_t crc, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        crc = (crc >> 4) ^ crc_of_nibble[crc & 15u];
        crc = (crc >> 4) ^ crc_of_nibble[crc & 15u];
    }
    return crc;
}
