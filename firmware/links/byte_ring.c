#include "byte_ring.h"

uint32_t byte_ring_used(const byte_ring_t *ring)
{
    uint32_t read = atomic_load_explicit(&ring->read, memory_order_acquire);
    return atomic_load_explicit(&ring->written, memory_order_acquire) - read;
}

uint32_t byte_ring_free(const byte_ring_t *ring)
{
    return ring->size_bytes - byte_ring_used(ring);
}

uint32_t byte_ring_write(byte_ring_t *ring, const uint8_t *bytes, uint32_t count)
{
    uint32_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    uint32_t room = byte_ring_free(ring);
    uint32_t taken = count < room ? count : room;
    for (uint32_t i = 0; i < taken; i++) {
        ring->bytes[(written + i) & (ring->size_bytes - 1u)] = bytes[i];
    }
    atomic_store_explicit(&ring->written, written + taken, memory_order_release);
    return taken;
}

uint32_t byte_ring_read(byte_ring_t *ring, uint8_t *bytes, uint32_t count)
{
    uint32_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    uint32_t used = byte_ring_used(ring);
    uint32_t taken = count < used ? count : used;
    for (uint32_t i = 0; i < taken; i++) {
        bytes[i] = ring->bytes[(read + i) & (ring->size_bytes - 1u)];
    }
    atomic_store_explicit(&ring->read, read + taken, memory_order_release);
    return taken;
}

uint32_t byte_ring_peek(const byte_ring_t *ring, const uint8_t **bytes)
{
    uint32_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    uint32_t index = read & (ring->size_bytes - 1u);
    uint32_t used = byte_ring_used(ring);
    uint32_t together = ring->size_bytes - index;
    *bytes = ring->bytes + index;
    return used < together ? used : together;
}

void byte_ring_skip(byte_ring_t *ring, uint32_t count)
{
    uint32_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    atomic_store_explicit(&ring->read, read + count, memory_order_release);
}
