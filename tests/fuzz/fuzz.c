#include "fuzz.h"

#define HEADER_BYTES 8u

/* Of half a byte: made by the definition of the CRC, bit by bit. */
static uint32_t table[16];

uint32_t fuzz_crc(const uint8_t *bytes, size_t count)
{
    for (uint32_t i = 0; table[15] == 0u && i < 16u; i++) {
        uint32_t crc = i;
        for (uint32_t bit = 0; bit < 4u; bit++) {
            crc = (crc >> 1) ^ ((crc & 1u) != 0u ? 0xedb88320u : 0u);
        }
        table[i] = crc;
    }
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        crc = (crc >> 4) ^ table[crc & 15u];
        crc = (crc >> 4) ^ table[crc & 15u];
    }
    return ~crc;
}

size_t fuzz_frame(uint8_t *to, const uint8_t header[8], const void *body, size_t count)
{
    size_t plain_bytes = HEADER_BYTES + count + sizeof(uint32_t);
    uint8_t *plain = fuzz_memory(plain_bytes, 1);
    memcpy(plain, header, HEADER_BYTES);
    memcpy(plain + HEADER_BYTES, body, count);
    uint32_t crc = fuzz_crc(plain, HEADER_BYTES + count);
    memcpy(plain + HEADER_BYTES + count, &crc, sizeof crc);
    size_t mark = 0;
    size_t out = 1;
    for (size_t i = 0; i < plain_bytes; i++) {
        if (plain[i] == 0u) {
            to[mark] = (uint8_t)(out - mark);
            mark = out++;
            continue;
        }
        to[out++] = plain[i];
        if (out - mark == 255u) {
            to[mark] = 255;
            mark = out++;
        }
    }
    to[mark] = (uint8_t)(out - mark);
    to[out++] = 0;
    free(plain);
    return out;
}
