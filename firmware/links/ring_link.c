#include "ring_link.h"

#include <stddef.h>

uint32_t ring_link_room_bytes(void *context)
{
    const ring_link_t *link = context;
    if (link->pump != NULL && !link->pump()) {
        return 0;
    }
    return byte_ring_free(&link->tx);
}

void ring_link_put(void *context, const uint8_t *bytes, uint32_t count)
{
    ring_link_t *link = context;
    (void)byte_ring_write(&link->tx, bytes, count);
    if (link->send != NULL) {
        link->send();
    }
}

uint32_t ring_link_acquire(void *context, uint32_t ahead, uint8_t **bytes)
{
    const ring_link_t *link = context;
    return byte_ring_acquire(&link->tx, ahead, bytes);
}

void ring_link_commit(void *context, uint32_t count)
{
    ring_link_t *link = context;
    byte_ring_commit(&link->tx, count);
    if (link->send != NULL) {
        link->send();
    }
}

uint32_t ring_link_get(void *context, uint8_t *bytes, uint32_t count)
{
    ring_link_t *link = context;
    if (link->receive != NULL) {
        link->receive();
    }
    return byte_ring_read(&link->rx, bytes, count);
}
