/* tt_finalize(): finish the trace of a ring with policy FINALIZE (ring_finalize.c). */
#include <stddef.h>

#include "record.h"
#include "ring.h"

#if TT_CONFIG_FINALIZE

/* Discard the trace, which has no records of earlier laps: the buffer returns to its state after
 * the claim, with records that have to be counted by class. */
static void lose(tt_ring_t *ring)
{
    uint32_t fill = tt_ring_filled(ring);
    tt_ring_counters_begin(ring);
    ring->next_ordinal += fill;
    ring->overwritten += fill;
    tt_ring_counters_end(ring, TT_COUNTER_OFFERED | TT_COUNTER_OVERWRITTEN);
    ring->settle_records = fill;
    ring->settled_records = 0;
    ring->lapped = false;
    ring->cursor = ring->base;
    ring->limit = ring->base;
}

#define FINALIZE_HEADER                                                                            \
    TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0, 0, TT_CLASS_TRACER, TT_TRACER_FINALIZE)

/* Close the trace. Its last record contains its number, unless the record is not selected or
 * dropped.
 */
static void keep(tt_ring_t *ring, uint32_t route)
{
    const uint32_t words[2] = {ring->finished, ring->lost_since};
    tt_record_words(words, FINALIZE_HEADER, route, NULL);
    ring->lost_since = 0;
    tt_ring_close(ring);
}

/* Result of a step: unmask interrupts, then take the next step. */
#define MORE 1

/* A trace that found no free buffer at its begin has only dropped records: it is lost as well. */
static int finish_step(tt_ring_t *ring, uint32_t stream)
{
    bool opened = tt_ring_has_records(ring);
    bool kept = opened && tt_ring_used_buffers(ring) < ring->buffer_count &&
                tt_ring_find_free(ring) != NULL;
    if (opened &&
        (kept ? tt_ring_owes_classes(ring) : ring->settled_records < ring->settle_records)) {
        tt_ring_settle_step(ring);
        return MORE;
    }
    uint32_t route = kept ? tt_route[TT_ROUTE_TRACER_FINALIZE] & (1u << stream) : 0u;
    if (route != 0u && ring->cursor >= ring->limit) {
        if (tt_ring_advance(ring, FINALIZE_HEADER, tt_port_ticks())) {
            return MORE;
        }
        route = 0;
    }
    ring->finished++;
    if (!opened && tt_ring_settle_missed(ring) == 0u) {
        return TT_OK; /* nothing was recorded */
    }
    if (kept) {
        keep(ring, route);
        return TT_OK;
    }
    if (opened) {
        lose(ring);
    }
    ring->lost++;
    ring->lost_since++;
    return TT_ERROR_FULL;
}

int tt_finalize(uint32_t stream)
{
    if (stream >= TT_CONFIG_STREAMS) {
        return TT_ERROR_ARGUMENT;
    }
    tt_ring_t *ring;
    int result;
    do {
        tt_port_key_t key = tt_port_lock();
        ring = &tt_rings[stream][tt_port_cpu()];
        result = tt_ring_finalizes(ring) ? finish_step(ring, stream) : TT_ERROR_STATE;
        tt_port_unlock(key);
    } while (result == MORE);
    if (result == TT_ERROR_FULL) {
        tt_ring_flush(ring); /* counts the lost records by class */
    }
    return result;
}

int tt_finalized(uint32_t stream, uint32_t *finished, uint32_t *lost)
{
    if (stream >= TT_CONFIG_STREAMS || finished == NULL || lost == NULL) {
        return TT_ERROR_ARGUMENT;
    }
    tt_port_key_t key = tt_port_lock();
    const tt_ring_t *ring = &tt_rings[stream][tt_port_cpu()];
    *finished = ring->finished;
    *lost = ring->lost;
    tt_port_unlock(key);
    return TT_OK;
}

#endif
