/* tickertape/cobs.h - decoding of COBS, the framing of bytes on links (protocol/SPEC.md). */
#ifndef TICKERTAPE_COBS_H
#define TICKERTAPE_COBS_H

#include <stdint.h>

/* Decode `count` bytes, the delimiter excluded, in place. Returns the number of decoded bytes, 0
 * when the encoding is invalid. */
static inline uint32_t tt_cobs_decode(uint8_t *bytes, uint32_t count)
{
    uint32_t out = 0;
    uint32_t in = 0;
    while (in < count) {
        uint32_t code = bytes[in++];
        if (code == 0u || in + code - 1u > count) {
            return 0;
        }
        for (uint32_t i = 1; i < code; i++) {
            bytes[out++] = bytes[in++];
        }
        if (code != 0xffu && in < count) {
            bytes[out++] = 0;
        }
    }
    return out;
}

#endif
