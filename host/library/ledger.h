/* The books of one ring: receipts in, balance out. The reference is analysis/ledger.py. */
#ifndef TICKERTAPE_LIBRARY_LEDGER_H
#define TICKERTAPE_LIBRARY_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/tape.h"
#include "tickertape/wire.h"

/* Flag of a buffer: an uncounted number of records is missing before it (buffer_flag). */
#define LOSS_BEFORE 1u

/* Before `ordinal` so many were dropped, so many sent, and the others were overwritten. */
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

/* Whether one boot can report both, `before` first: no term of the law is negative. */
static inline bool receipt_leads_to(receipt_t before, receipt_t after)
{
    return after.ordinal >= before.ordinal && after.dropped >= before.dropped &&
           after.sent >= before.sent &&
           after.dropped - before.dropped <= after.ordinal - before.ordinal &&
           after.sent - before.sent <=
               after.ordinal - before.ordinal - (after.dropped - before.dropped);
}

/* Add modulo 2^64: damaged receipts may have any numbers. */
static inline void number_add(int64_t *sum, uint64_t number)
{
    *sum = (int64_t)((uint64_t)*sum + number);
}

/* All zeros is a ring without receipts. */
typedef struct ledger {
    tt_tape_balance_t earlier; /* of the spans before the present one, and all counters */
    receipt_t begin;           /* of the first span */
    receipt_t first;           /* of the present span, whose receipts agree */
    receipt_t last;
    uint64_t delivered; /* in the present span */
    uint64_t offered;   /* by the last STATUS */
    uint64_t repeated;
    receipt_t behind;  /* the last buffer */
    receipt_t settled; /* of the last STATUS that was not final */
    receipt_t final;   /* of the last final STATUS */
    bool has_span;
    bool has_begin;
    bool has_behind;
    bool has_settled;
    bool has_final;
} ledger_t;

/* Take the header of a buffer of the tape; all buffers of a ring come before its STATUS. */
void ledger_buffer(ledger_t *ledger, const tt_wire_buffer_header_t *buffer);

/* Take the counters of the ring. */
void ledger_status(ledger_t *ledger, const tt_wire_status_t *status);

/* Set balance and ordinals of a ring. */
void ledger_close(const ledger_t *ledger, tt_tape_ring_t *ring);

#endif
