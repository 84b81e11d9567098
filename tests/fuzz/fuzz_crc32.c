/* The CRC of chunks (_native/crc32.c), at any address and length, compared with its definition. */
#include "fuzz.h"
#include "interface.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (tt_crc32_available() == 0) {
        return 0;
    }
    size_t shift = size == 0u ? 0u : data[0] % 16u;
    shift = shift < size ? shift : size;
    uint8_t *copy = fuzz_memory(size - shift, 1);
    memcpy(copy, data + shift, size - shift);
    uint32_t expected = fuzz_crc(data + shift, size - shift);
    FUZZ_CHECK(tt_crc32(copy, size - shift) == expected);
    FUZZ_CHECK(tt_crc32(data + shift, size - shift) == expected);
    free(copy);
    return 0;
}
