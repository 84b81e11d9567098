#include "broker_balance.h"

/* Return whether `later` may follow `before`: no count decreases, and dropped and sent grow
 * together by at most the number of records between both. */
static bool follows(const tt_view_receipt_t *before, const tt_view_receipt_t *later)
{
    if (later->ordinal < before->ordinal || later->dropped < before->dropped ||
        later->sent < before->sent) {
        return false;
    }
    uint64_t records = later->ordinal - before->ordinal;
    uint64_t dropped = later->dropped - before->dropped;
    return dropped <= records && later->sent - before->sent <= records - dropped;
}

/* Store the later one of the ring's last receipt and `receipt` in *last. False if they contradict
 * each other. */
static bool merge(const tt_view_ring_t *ring, const tt_view_receipt_t *receipt,
                  tt_view_receipt_t *last)
{
    static const tt_view_receipt_t start;
    const tt_view_receipt_t *known = ring->known ? &ring->last : &start;
    *last = receipt->ordinal < known->ordinal ? *known : *receipt;
    return follows(known, last);
}

bool tt_view_ring_settle(tt_view_ring_t *ring, const tt_view_receipt_t *receipt)
{
    tt_view_receipt_t last;
    if (!merge(ring, receipt, &last)) {
        return false;
    }
    if (!ring->known) {
        ring->known = true;
        ring->first = *receipt;
        ring->behind = receipt->ordinal;
        ring->behind_dropped = receipt->dropped;
    }
    ring->last = last;
    return true;
}

bool tt_view_ring_deliver(tt_view_ring_t *ring, const tt_view_receipt_t *begin, uint32_t count,
                          tt_view_buffer_t *buffer)
{
    const tt_view_receipt_t end = {begin->ordinal + count, begin->dropped, begin->sent + count};
    tt_view_ring_t next = *ring;
    if (end.ordinal < begin->ordinal || end.sent < begin->sent ||
        !tt_view_ring_settle(&next, begin) || !tt_view_ring_settle(&next, &end) ||
        begin->ordinal < next.behind || begin->dropped < next.behind_dropped ||
        begin->dropped - next.behind_dropped > begin->ordinal - next.behind ||
        next.delivered + count > next.last.sent - next.first.sent) {
        return false;
    }
    buffer->lost_count = begin->ordinal - next.behind;
    buffer->dropped_count = begin->dropped - next.behind_dropped;
    buffer->lost_ticks = next.last_ticks;
    next.delivered += count;
    next.behind = end.ordinal;
    next.behind_dropped = end.dropped;
    next.last_ticks = buffer->ticks;
    next.final = false;
    *ring = next;
    return true;
}

void tt_view_ring_balance(const tt_view_ring_t *ring, tt_view_balance_t *balance)
{
    uint64_t offered = ring->last.ordinal - ring->first.ordinal;
    uint64_t dropped = ring->last.dropped - ring->first.dropped;
    uint64_t sent = ring->last.sent - ring->first.sent;
    balance->offered += offered;
    balance->dropped += dropped;
    balance->overwritten += offered - dropped - sent;
    balance->damaged += sent - ring->delivered;
    balance->delivered += ring->delivered;
}
