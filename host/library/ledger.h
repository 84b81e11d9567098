/* Computes the balance of one ring from its receipts. The reference is analysis/ledger.py. */
#ifndef TICKERTAPE_LIBRARY_LEDGER_H
#define TICKERTAPE_LIBRARY_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/tape.h"
#include "tickertape/wire.h"

/* Flag of a buffer: records are missing before it, in an unknown number (buffer_flag). */
#define LOSS_BEFORE 1u

/* Fate of the records before `ordinal`: `dropped` and `sent` count them; the rest is overwritten.
 */
typedef struct receipt {
    uint64_t ordinal;
    uint64_t dropped;
    uint64_t sent;
} receipt_t;

static inline receipt_t receipt_at(const tt_wire_buffer_header_t *buffer)
{
    return (receipt_t){buffer->first_ordinal, buffer->dropped, buffer->sent};
}

static inline receipt_t receipt_behind(const tt_wire_buffer_header_t *buffer)
{
    return (receipt_t){buffer->first_ordinal + buffer->count, buffer->dropped,
                       buffer->sent + buffer->count};
}

/* Return whether one boot can report both receipts, `before` first: no difference between them,
 * dropped, sent or overwritten, is negative. */
static inline bool receipt_leads_to(receipt_t before, receipt_t after)
{
    return after.ordinal >= before.ordinal && after.dropped >= before.dropped &&
           after.sent >= before.sent &&
           after.dropped - before.dropped <= after.ordinal - before.ordinal &&
           after.sent - before.sent <=
               after.ordinal - before.ordinal - (after.dropped - before.dropped);
}

/* Add modulo 2^64, because damaged receipts may contain any number. */
static inline void number_add(int64_t *sum, uint64_t number)
{
    *sum = (int64_t)((uint64_t)*sum + number);
}

/* State of one ring. A span is a range of receipts that agree. All zeros: no receipt yet. */
typedef struct ledger {
    tt_tape_balance_t earlier; /* sum of the spans before the current one, and all counters */
    receipt_t begin;           /* first receipt of the first span, once that has ended */
    receipt_t first;           /* first receipt of the current span */
    receipt_t last;            /* last receipt of the current span */
    uint64_t delivered;        /* records delivered in the current span */
    uint64_t offered;          /* greatest number of offered records that a STATUS reports */
    uint64_t repeated;         /* records of buffers that the tape has twice */
    receipt_t behind;          /* receipt after the last buffer */
    receipt_t settled;         /* receipt of the last STATUS that was not final */
    receipt_t final;           /* receipt of the last final STATUS */
    bool has_span;
    bool has_begin;
    bool has_behind;
    bool has_settled;
    bool has_final;
} ledger_t;

/* Add the header of a buffer. Call it for all buffers of a ring before ledger_status(). */
void ledger_buffer(ledger_t *ledger, const tt_wire_buffer_header_t *buffer);

/* Add the receipts of a STATUS of the ring. */
void ledger_status(ledger_t *ledger, const tt_wire_status_t *status);

/* Store balance and ordinals in *ring. */
void ledger_close(const ledger_t *ledger, tt_tape_ring_t *ring);

#endif
