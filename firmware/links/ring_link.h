/*
 * links/ring_link.h - a trace link over two byte rings. The drain writes frames into `tx` and reads
 * commands from `rx`. A carrier (an interrupt, DMA, a loop that sends datagrams) empties `tx` and
 * fills `rx`.
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
    /* Called by the drain before it reads the room. Returns false when the carrier accepts nothing
     * now: the room is then 0. May be NULL. */
    bool (*pump)(void);
    /* Called by the drain after it has added bytes to `tx`. May be NULL. */
    void (*send)(void);
    /* Called by the drain before it reads `rx`. May be NULL. */
    void (*receive)(void);
} ring_link_t;

/* Functions for `link` (tickertape/link.h); their context is the ring_link_t. */
uint32_t ring_link_room_bytes(void *context);
void ring_link_put(void *context, const uint8_t *bytes, uint32_t count);
uint32_t ring_link_acquire(void *context, uint32_t ahead, uint8_t **bytes);
void ring_link_commit(void *context, uint32_t count);
uint32_t ring_link_get(void *context, uint8_t *bytes, uint32_t count);

/* Initialiser of the ring_link_t `name`; `tx_array` is an array as for BYTE_RING_INIT().
 * `get_bytes` is ring_link_get, if `.rx = BYTE_RING_INIT(...)` follows, or a function of the
 * carrier, or NULL. The functions of the carrier follow the macro. */
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
