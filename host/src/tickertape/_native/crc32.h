/*
 * CRC-32 of zlib, for whole chunks of a tape.
 *
 * zlib takes 0.4 ns a byte, which is more than all the rest of decoding; folding 64 bytes at a time
 * with carry-less multiplication takes a tenth of that. Only x86-64 has it here: everywhere else
 * the host goes on using zlib.
 */
#ifndef TICKERTAPE_NATIVE_CRC32_H
#define TICKERTAPE_NATIVE_CRC32_H

#include <stdint.h>

/* 1 when tt_crc32() works on this processor, else 0. */
int tt_crc32_available(void);

/*
 * CRC of `size` bytes, at any address. 0 for none.
 *
 * Call it only when tt_crc32_available() says 1.
 */
uint32_t tt_crc32(const uint8_t *data, uint64_t size);

#endif
