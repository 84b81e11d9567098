#include "byte_ring.h"

#include <string.h>

uint32_t byte_ring_used(const byte_ring_t *ring)
{
    uint32_t read = atomic_load_explicit(&ring->read, memory_order_acquire);
    return atomic_load_explicit(&ring->written, memory_order_acquire) - read;
}

uint32_t byte_ring_free(const byte_ring_t *ring)
{
    return ring->size_bytes - byte_ring_used(ring);
}

/* Return how many of `count` bytes from a counter on are contiguous. */
static uint32_t contiguous(const byte_ring_t *ring, uint32_t counter, uint32_t count)
{
    uint32_t together = ring->size_bytes - (counter & (ring->size_bytes - 1u));
    return count < together ? count : together;
}

static uint8_t *place_of(const byte_ring_t *ring, uint32_t counter)
{
    return ring->bytes + (counter & (ring->size_bytes - 1u));
}

uint32_t byte_ring_acquire(const byte_ring_t *ring, uint32_t ahead, uint8_t **bytes)
{
    uint32_t first = atomic_load_explicit(&ring->written, memory_order_relaxed) + ahead;
    *bytes = place_of(ring, first);
    return contiguous(ring, first, byte_ring_free(ring) - ahead);
}

void byte_ring_commit(byte_ring_t *ring, uint32_t count)
{
    uint32_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    atomic_store_explicit(&ring->written, written + count, memory_order_release);
}

uint32_t byte_ring_write(byte_ring_t *ring, const uint8_t *bytes, uint32_t count)
{
    uint32_t room = byte_ring_free(ring);
    uint32_t taken = count < room ? count : room;
    uint8_t *to;
    for (uint32_t done = 0; done < taken;) {
        uint32_t piece = byte_ring_acquire(ring, done, &to);
        piece = piece < taken - done ? piece : taken - done;
        memcpy(to, bytes + done, piece);
        done += piece;
    }
    byte_ring_commit(ring, taken);
    return taken;
}

uint32_t byte_ring_read(byte_ring_t *ring, uint8_t *bytes, uint32_t count)
{
    const uint8_t *from;
    uint32_t taken = 0;
    uint32_t piece;
    while (taken < count && (piece = byte_ring_peek(ring, &from)) != 0u) {
        piece = piece < count - taken ? piece : count - taken;
        memcpy(bytes + taken, from, piece);
        byte_ring_skip(ring, piece);
        taken += piece;
    }
    return taken;
}

uint32_t byte_ring_peek(const byte_ring_t *ring, const uint8_t **bytes)
{
    uint32_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    *bytes = place_of(ring, read);
    return contiguous(ring, read, byte_ring_used(ring));
}

void byte_ring_skip(byte_ring_t *ring, uint32_t count)
{
    uint32_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    atomic_store_explicit(&ring->read, read + count, memory_order_release);
}
