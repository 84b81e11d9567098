/*
 * links/byte_ring.h - a ring of bytes with one writer and one reader, without a lock.
 *
 * One context writes, another one reads, for example a thread and an interrupt. Each changes its
 * own counter only. The counters count modulo 2^32, so a full ring differs from an empty one:
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

/* C++ has no _Atomic: it never accesses the counters; size and alignment are the same. */
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

/* The smallest array size for a ring of at least `least` bytes, which is at most 131072. */
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

/* Return the number of bytes in the ring. Reader and writer; the other side may change it at any
 * time. */
uint32_t byte_ring_used(const byte_ring_t *ring);

/* Return the number of free bytes. Writer and reader. */
uint32_t byte_ring_free(const byte_ring_t *ring);

/*
 * Writer: byte_ring_acquire() finds contiguous free memory, `ahead` bytes after the bytes written;
 * `ahead` is at most byte_ring_free(). It stores the address in *bytes and returns the length.
 * byte_ring_commit() appends the first `count` free bytes, which the writer has stored without
 * gaps.
 */
uint32_t byte_ring_acquire(const byte_ring_t *ring, uint32_t ahead, uint8_t **bytes);
void byte_ring_commit(byte_ring_t *ring, uint32_t count);

/* Writer: append up to `count` bytes. Returns how many had room. */
uint32_t byte_ring_write(byte_ring_t *ring, const uint8_t *bytes, uint32_t count);

/* Reader: remove up to `count` bytes and copy them to `bytes`. Returns their number. */
uint32_t byte_ring_read(byte_ring_t *ring, uint8_t *bytes, uint32_t count);

/*
 * Reader: byte_ring_peek() stores the address of the oldest contiguous bytes in *bytes and returns
 * their number, without removing them. byte_ring_skip() removes `count` of them, at most that
 * number.
 */
uint32_t byte_ring_peek(const byte_ring_t *ring, const uint8_t **bytes);
void byte_ring_skip(byte_ring_t *ring, uint32_t count);

TT_C_END

#endif
