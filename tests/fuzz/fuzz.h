/*
 * fuzz.h - shared by the libFuzzer targets of this folder: reads values from an input, and aborts
 * the program if a law does not hold. Beyond its end, an input reads as zeros.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fuzz_input {
    const uint8_t *at;
    const uint8_t *end;
} fuzz_input_t;

static inline fuzz_input_t fuzz_begin(const uint8_t *data, size_t size)
{
    return (fuzz_input_t){data, data + size};
}

static inline size_t fuzz_left(const fuzz_input_t *input)
{
    return (size_t)(input->end - input->at);
}

/* Copy the next `count` bytes. */
static inline void fuzz_copy(fuzz_input_t *input, void *to, size_t count)
{
    size_t taken = fuzz_left(input) < count ? fuzz_left(input) : count;
    memset(to, 0, count);
    if (taken > 0u) {
        memcpy(to, input->at, taken);
        input->at += taken;
    }
}

static inline uint8_t fuzz_u8(fuzz_input_t *input)
{
    uint8_t value;
    fuzz_copy(input, &value, sizeof value);
    return value;
}

static inline uint16_t fuzz_u16(fuzz_input_t *input)
{
    uint16_t value;
    fuzz_copy(input, &value, sizeof value);
    return value;
}

static inline uint32_t fuzz_u32(fuzz_input_t *input)
{
    uint32_t value;
    fuzz_copy(input, &value, sizeof value);
    return value;
}

static inline uint64_t fuzz_u64(fuzz_input_t *input)
{
    uint64_t value;
    fuzz_copy(input, &value, sizeof value);
    return value;
}

/* Allocate memory of exactly this size, so that a sanitizer finds every access outside of it. */
static inline void *fuzz_memory(size_t count, size_t size)
{
    void *memory = malloc(count * size + (count == 0u));
    if (memory == NULL) {
        abort();
    }
    return memory;
}

#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);   \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Encode a frame for a link: header, `body`, CRC-32, COBS and delimiter. Returns the number of
 * bytes; `to` has room for FUZZ_FRAME_ROOM(count). */
#define FUZZ_FRAME_ROOM(count) ((count) + (count) / 254u + 32u)
size_t fuzz_frame(uint8_t *to, const uint8_t header[8], const void *body, size_t count);

/* _native calls these functions instead of calloc(), realloc() and free(). They keep large blocks
 * for the next input, poisoned while free, because the sanitizer would map and unmap each block. */
void *fuzz_calloc(size_t count, size_t size);
void *fuzz_realloc(void *memory, size_t bytes);
void fuzz_free(void *memory);

/* Return zlib's CRC-32, by an independent implementation. */
uint32_t fuzz_crc(const uint8_t *bytes, size_t count);

#endif
