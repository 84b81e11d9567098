/*
 * fuzz.h - shared by the libFuzzer targets of this folder: takes an input apart, and ends the
 * program where a law does not hold. An input that is too short reads as zeros.
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

/* Memory of exactly this size, so that a sanitizer finds every access outside of it. */
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

/* Put a frame as it goes over a link: `body` after a header of these fields, CRC-32, COBS and the
 * delimiter. Returns its bytes; `to` has room for FUZZ_FRAME_ROOM(count). */
#define FUZZ_FRAME_ROOM(count) ((count) + (count) / 254u + 32u)
size_t fuzz_frame(uint8_t *to, const uint8_t header[8], const void *body, size_t count);

/* What _native calls instead of calloc(), realloc() and free(). Large blocks are kept for the next
 * input, poisoned while they are free: the sanitizer would map and unmap each of them. */
void *fuzz_calloc(size_t count, size_t size);
void *fuzz_realloc(void *memory, size_t bytes);
void fuzz_free(void *memory);

/* CRC-32 of zlib, bit by bit. */
uint32_t fuzz_crc(const uint8_t *bytes, size_t count);

#endif
