/*
 * links/byte_ring.h - bytes from one writer to one reader, without a lock.
 *
 * One context writes, another reads, for example a thread and an interrupt. Each moves its own
 * counter only; the counters run through all 32 bits and wrap, so full and empty differ:
 *     bytes in the ring = written - read, index = counter % size
 */
#ifndef LINKS_BYTE_RING_H
#define LINKS_BYTE_RING_H

#ifndef __cplusplus
#include <stdatomic.h>
#endif
#include <stdbool.h>
#include <stdint.h>

#include "tickertape/language.h"

TT_C_BEGIN

/* C++ has no _Atomic and leaves the counters to the functions; size and alignment are equal. */
#ifdef __cplusplus
typedef uint32_t byte_ring_counter_t;
#else
typedef _Atomic uint32_t byte_ring_counter_t;
#endif

typedef struct byte_ring {
    uint8_t *bytes;
    uint32_t size_bytes; /* a power of two */
    byte_ring_counter_t written;
    byte_ring_counter_t read;
} byte_ring_t;

/* Initial value; `array` is an array of bytes whose size is a power of two. */
#define BYTE_RING_INIT(array) {.bytes = (array), .size_bytes = sizeof(array)}

/* Size of an array for a ring of `least` bytes, which are at most 131072. */
#define BYTE_RING_SIZE(least)                                                                      \
    ((least) <= 512u     ? 512u                                                                    \
     : (least) <= 1024u  ? 1024u                                                                   \
     : (least) <= 2048u  ? 2048u                                                                   \
     : (least) <= 4096u  ? 4096u                                                                   \
     : (least) <= 8192u  ? 8192u                                                                   \
     : (least) <= 16384u ? 16384u                                                                  \
     : (least) <= 32768u ? 32768u                                                                  \
     : (least) <= 65536u ? 65536u                                                                  \
                         : 131072u)

/* Bytes that wait. Reader and writer; the other side may change it at once. */
uint32_t byte_ring_used(const byte_ring_t *ring);

/* Bytes that there is room for. Writer and reader. */
uint32_t byte_ring_free(const byte_ring_t *ring);

/*
 * Writer: contiguous free memory, `ahead` bytes after the bytes written; returns its length, and
 * its address in *bytes. `ahead` is at most byte_ring_free(). byte_ring_commit() appends `count`
 * bytes that were stored there: from the first free one on, without gaps.
 */
uint32_t byte_ring_acquire(const byte_ring_t *ring, uint32_t ahead, uint8_t **bytes);
void byte_ring_commit(byte_ring_t *ring, uint32_t count);

/* Writer: append up to `count` bytes and return how many there was room for. */
uint32_t byte_ring_write(byte_ring_t *ring, const uint8_t *bytes, uint32_t count);

/* Reader: take up to `count` bytes and return how many there were. */
uint32_t byte_ring_read(byte_ring_t *ring, uint8_t *bytes, uint32_t count);

/*
 * Reader: the oldest contiguous bytes, without removing them; returns their number, and their
 * address in *bytes. byte_ring_skip() removes `count` of them, at most that number.
 */
uint32_t byte_ring_peek(const byte_ring_t *ring, const uint8_t **bytes);
void byte_ring_skip(byte_ring_t *ring, uint32_t count);

TT_C_END

#endif
