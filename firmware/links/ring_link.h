/*
 * links/ring_link.h - a trace link over two byte rings: the drain writes frames into one and reads
 * commands from the other; a carrier (an interrupt, DMA, a loop that sends datagrams) serves the
 * other ends.
 */
#ifndef LINKS_RING_LINK_H
#define LINKS_RING_LINK_H

#include "byte_ring.h"
#include "tickertape/link.h"

TT_C_BEGIN

typedef struct ring_link {
    tt_link_t link;
    byte_ring_t tx;
    byte_ring_t rx;
    /* Called by the drain before it asks for room; false: the carrier takes nothing now, there is
     * no room. May be NULL. */
    bool (*pump)(void);
    /* Called by the drain when bytes were added to `tx`. May be NULL. */
    void (*send)(void);
    /* Called by the drain before it reads `rx`. May be NULL. */
    void (*receive)(void);
} ring_link_t;

/* Functions of `link`; their context is the ring_link_t. */
uint32_t ring_link_room_bytes(void *context);
void ring_link_put(void *context, const uint8_t *bytes, uint32_t count);
uint32_t ring_link_acquire(void *context, uint32_t ahead, uint8_t **bytes);
void ring_link_commit(void *context, uint32_t count);
uint32_t ring_link_get(void *context, uint8_t *bytes, uint32_t count);

/* Initial value of ring_link_t `name`; the array is as of BYTE_RING_INIT(). `get_bytes` is
 * ring_link_get where `.rx = BYTE_RING_INIT(...)` follows, or the carrier's own function, or NULL.
 * The functions of the carrier follow. */
#define RING_LINK_INIT(name, tx_array, get_bytes)                                                  \
    .link = {.context = &(name),                                                                   \
             .room_bytes = ring_link_room_bytes,                                                   \
             .put = ring_link_put,                                                                 \
             .get = (get_bytes),                                                                   \
             .acquire = ring_link_acquire,                                                         \
             .commit = ring_link_commit},                                                          \
    .tx = BYTE_RING_INIT(tx_array)

TT_C_END

#endif
