#include "fuzz.h"

#include <sanitizer/asan_interface.h>
#include <stdbool.h>

#define HEADER_BYTES 8u
#define LARGE_BYTES  (128u << 10)
#define LARGE_BLOCKS 8u

typedef struct block {
    void *memory;
    size_t bytes;
    bool is_used; /* false: poisoned */
} block_t;

static block_t blocks[LARGE_BLOCKS];

/* Return a free block of this size or a new one; NULL if there are LARGE_BLOCKS blocks. */
static void *take_large(size_t bytes)
{
    for (uint32_t i = 0; i < LARGE_BLOCKS; i++) {
        block_t *block = &blocks[i];
        if (block->memory == NULL) {
            *block = (block_t){.memory = fuzz_memory(bytes, 1), .bytes = bytes};
        }
        if (block->bytes == bytes && !block->is_used) {
            ASAN_UNPOISON_MEMORY_REGION(block->memory, bytes);
            block->is_used = true;
            return block->memory;
        }
    }
    return NULL;
}

static block_t *block_of(const void *memory)
{
    for (uint32_t i = 0; memory != NULL && i < LARGE_BLOCKS; i++) {
        if (blocks[i].memory == memory) {
            return &blocks[i];
        }
    }
    return NULL;
}

void *fuzz_calloc(size_t count, size_t size)
{
    void *memory = count == 1u && size >= LARGE_BYTES ? take_large(size) : NULL;
    return memory == NULL ? calloc(count, size) : memset(memory, 0, size);
}

void *fuzz_realloc(void *memory, size_t bytes)
{
    const block_t *before = block_of(memory);
    void *fresh =
        bytes >= LARGE_BYTES && (before != NULL || memory == NULL) ? take_large(bytes) : NULL;
    if (before == NULL) {
        return fresh == NULL ? realloc(memory, bytes) : fresh;
    }
    fresh = fresh == NULL ? malloc(bytes) : fresh;
    if (fresh != NULL) {
        memcpy(fresh, memory, before->bytes < bytes ? before->bytes : bytes);
        fuzz_free(memory);
    }
    return fresh;
}

void fuzz_free(void *memory)
{
    block_t *block = block_of(memory);
    if (block == NULL) {
        free(memory);
        return;
    }
    FUZZ_CHECK(block->is_used);
    block->is_used = false;
    ASAN_POISON_MEMORY_REGION(memory, block->bytes);
}

/* CRC of each half byte, computed bit by bit from the definition. */
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
