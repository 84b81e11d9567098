#include "ledger.h"

static bool agree(receipt_t one, receipt_t other)
{
    return one.ordinal < other.ordinal ? receipt_leads_to(one, other)
                                       : receipt_leads_to(other, one);
}

/* Return whether a receipt is consistent with both ends of the current span. */
static bool agrees(const ledger_t *ledger, receipt_t receipt)
{
    return agree(receipt, ledger->first) && agree(receipt, ledger->last);
}

static void widen(ledger_t *ledger, receipt_t receipt)
{
    if (receipt.ordinal < ledger->first.ordinal) {
        ledger->first = receipt;
    }
    if (receipt.ordinal > ledger->last.ordinal) {
        ledger->last = receipt;
    }
}

static void begin_span(ledger_t *ledger, receipt_t receipt)
{
    ledger->first = receipt;
    ledger->last = receipt;
    ledger->delivered = 0;
    ledger->has_span = true;
}

/* Add the current span to a balance: the differences between its two receipts. */
static void add_span(const ledger_t *ledger, tt_tape_balance_t *balance)
{
    uint64_t offered = ledger->last.ordinal - ledger->first.ordinal;
    uint64_t dropped = ledger->last.dropped - ledger->first.dropped;
    uint64_t sent = ledger->last.sent - ledger->first.sent;
    number_add(&balance->offered, offered);
    number_add(&balance->delivered, ledger->delivered);
    number_add(&balance->overwritten, offered - dropped - sent);
    number_add(&balance->dropped, dropped);
    number_add(&balance->damaged, sent - ledger->delivered);
}

/* End the current span and begin another; the losses between both are unknown. */
static void break_span(ledger_t *ledger, receipt_t receipt)
{
    ledger->earlier.unknown_losses++;
    add_span(ledger, &ledger->earlier);
    if (!ledger->has_begin) {
        ledger->begin = ledger->first;
        ledger->has_begin = true;
    }
    begin_span(ledger, receipt);
}

void ledger_buffer(ledger_t *ledger, const tt_wire_buffer_header_t *buffer)
{
    receipt_t begin = receipt_at(buffer);
    receipt_t end = receipt_behind(buffer);
    if (ledger->has_behind && begin.ordinal < ledger->behind.ordinal) {
        ledger->repeated += buffer->count;
        return;
    }
    if (ledger->has_behind) {
        ledger->earlier.unknown_losses += (buffer->flags & LOSS_BEFORE) != 0u;
    }
    if (!ledger->has_span) {
        begin_span(ledger, begin);
    } else if ((ledger->has_behind && !receipt_leads_to(ledger->behind, begin)) ||
               !agrees(ledger, begin) || !agrees(ledger, end)) {
        ledger->earlier.contradictions++;
        break_span(ledger, begin);
    }
    widen(ledger, begin);
    widen(ledger, end);
    ledger->delivered += buffer->count;
    ledger->behind = end;
    ledger->has_behind = true;
}

void ledger_status(ledger_t *ledger, const tt_wire_status_t *status)
{
    receipt_t settled = {status->settled_ordinal, status->settled_dropped, status->settled_sent};
    if (!ledger->has_span) {
        begin_span(ledger, settled);
    }
    if ((ledger->has_settled && !receipt_leads_to(ledger->settled, settled)) ||
        !agrees(ledger, settled)) {
        ledger->earlier.contradictions++;
    } else {
        widen(ledger, settled);
    }
    if (status->final == 0u) { /* a final STATUS may repeat the receipt of the last buffer */
        ledger->settled = settled;
        ledger->has_settled = true;
    } else {
        ledger->final = settled;
        ledger->has_final = true;
    }
    if (status->offered > ledger->offered) {
        ledger->offered = status->offered;
    }
}

void ledger_close(const ledger_t *ledger, tt_tape_ring_t *ring)
{
    tt_tape_balance_t *balance = &ring->balance;
    *balance = ledger->earlier;
    add_span(ledger, balance);
    balance->contradictions += ledger->repeated != 0u;
    uint64_t last = ledger->last.ordinal;
    balance->unsettled = ledger->offered > last ? ledger->offered - last : 0u;
    balance->is_final = ledger->has_final && ledger->final.ordinal == last &&
                        ledger->final.dropped == ledger->last.dropped &&
                        ledger->final.sent == ledger->last.sent;
    ring->first_ordinal = ledger->has_begin ? ledger->begin.ordinal : ledger->first.ordinal;
    ring->end_ordinal = last;
}
