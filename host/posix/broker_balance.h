/*
 * broker_balance.h - the loss balance of one ring, as a view counts it. A receipt or a buffer that
 * contradicts the ones before it is refused, so that no figure of the balance is ever negative,
 * whatever the broker sends. Not thread-safe.
 */
#ifndef TICKERTAPE_BROKER_BALANCE_H
#define TICKERTAPE_BROKER_BALANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "broker_client.h"

/* Of the records before `ordinal`, so many were dropped and so many sent. */
typedef struct tt_view_receipt {
    uint64_t ordinal;
    uint64_t dropped;
    uint64_t sent;
} tt_view_receipt_t;

typedef struct tt_view_ring {
    bool known;
    bool final;              /* nothing will follow */
    tt_view_receipt_t first; /* where the view began */
    tt_view_receipt_t last;
    uint64_t delivered;
    uint64_t behind;         /* the ordinal after the last delivered record, */
    uint64_t behind_dropped; /* and how many of those before it were dropped */
    uint64_t last_ticks;     /* of the last buffer */
} tt_view_ring_t;

/* Take the receipt of a STATUS. Returns false, and changes nothing, when it contradicts the last
 * one. A receipt older than the last one is true and changes nothing. */
bool tt_view_ring_settle(tt_view_ring_t *ring, const tt_view_receipt_t *receipt);

/* Count a buffer of `count` records whose first has the ordinal of `begin`. Fills the loss fields
 * of *buffer. Returns false, and changes nothing, when it holds nothing new or contradicts what is
 * known. */
bool tt_view_ring_deliver(tt_view_ring_t *ring, const tt_view_receipt_t *begin, uint32_t count,
                          tt_view_buffer_t *buffer);

/* Add the ring's figures to *balance. */
void tt_view_ring_balance(const tt_view_ring_t *ring, tt_view_balance_t *balance);

#endif
