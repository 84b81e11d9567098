/*
 * broker_balance.h - loss balance of one ring of a view. A receipt or buffer that contradicts
 * earlier ones is refused, so that no figure of the balance is negative, whatever the broker sends.
 * Not thread-safe.
 */
#ifndef TICKERTAPE_BROKER_BALANCE_H
#define TICKERTAPE_BROKER_BALANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "broker_client.h"

/* Fate of the records before `ordinal`: `dropped` and `sent` count them. */
typedef struct tt_view_receipt {
    uint64_t ordinal;
    uint64_t dropped;
    uint64_t sent;
} tt_view_receipt_t;

typedef struct tt_view_ring {
    bool known;              /* `first` and `last` are valid */
    bool final;              /* no record follows */
    tt_view_receipt_t first; /* first receipt of the view */
    tt_view_receipt_t last;  /* latest receipt */
    uint64_t delivered;
    uint64_t behind;         /* ordinal after the last delivered record */
    uint64_t behind_dropped; /* number of dropped records before `behind` */
    uint64_t last_ticks;     /* `ticks` of the last buffer */
} tt_view_ring_t;

/* Add a receipt. Returns false and changes nothing if it contradicts the last one. A receipt older
 * than the last one is accepted and changes nothing. */
bool tt_view_ring_settle(tt_view_ring_t *ring, const tt_view_receipt_t *receipt);

/* Add a buffer of `count` records; `begin` is the receipt before its first record. Sets the loss
 * fields of *buffer. Returns false and changes nothing if the buffer has no new records or
 * contradicts earlier receipts. */
bool tt_view_ring_deliver(tt_view_ring_t *ring, const tt_view_receipt_t *begin, uint32_t count,
                          tt_view_buffer_t *buffer);

/* Add the ring's figures to *balance. */
void tt_view_ring_balance(const tt_view_ring_t *ring, tt_view_balance_t *balance);

#endif
