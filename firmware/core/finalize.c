/* tt_finalize(): finish the trace of a ring with policy FINALIZE (ring_finalize.c). */
#include <stddef.h>

#include "record.h"
#include "ring.h"

#if TT_CONFIG_FINALIZE

/* Discard the trace, whose records of earlier laps are already counted. The buffer returns to its
 * state after the claim, with old records to be counted by class. */
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

/* End the trace: its buffer has no more room, and the next step of the ring closes it. `recorded`:
 * store TRACER FINALIZE with the number of the trace as its last record. */
static void keep(tt_ring_t *ring, bool recorded)
{
    if (recorded) {
        tt_record_store(ring, tt_record_with_cpu(FINALIZE_HEADER, tt_port_cpu()), tt_port_ticks(),
                        ring->finished, ring->lost_since);
    }
    ring->lost_since = 0;
    ring->limit = ring->cursor;
    ring->ended = true;
}

/* Results of finish_step() beside those of tt_finalize(): MORE: call it again; KEPT: close the
 * buffer. */
#define MORE 1
#define KEPT 2

/* Take a step that must precede the end of the trace. For a lost trace, count its old records by
 * class; for a kept one, only those whose place the last record needs; or make room for the last
 * record. Returns true if it took a step, false if none was needed. */
static bool prepare(tt_ring_t *ring, bool kept, uint32_t route)
{
    bool reached = route != 0u && tt_ring_filled(ring) == ring->settled_records;
    if (ring->settled_records < ring->settle_records &&
        (!kept || reached || !tt_ring_is_lapped(ring))) {
        tt_ring_settle_step(ring);
        return true;
    }
    return route != 0u && !tt_ring_has_room(ring) &&
           tt_ring_advance(ring, FINALIZE_HEADER, tt_port_ticks());
}

/* Take a step towards the end of the trace. The trace is kept if a buffer is free for the next one.
 * A trace that found no free buffer at its begin has only dropped records: it is lost too. */
static int finish_step(tt_ring_t *ring, uint32_t stream)
{
    if (ring->ended) { /* ended by a call that this one has interrupted */
        tt_ring_close(ring);
        return MORE;
    }
    bool opened = tt_ring_has_records(ring);
    bool kept = opened && tt_ring_used_buffers(ring) < ring->buffer_count;
    uint32_t route = kept ? tt_route[TT_ROUTE_TRACER_FINALIZE] & (1u << stream) : 0u;
    if (opened && prepare(ring, kept, route)) {
        return MORE;
    }
    /* The free buffer may be another one than the next one. */
    if (kept && tt_ring_find_free(ring) == NULL) {
        if (ring->settled_records < ring->settle_records) {
            tt_ring_settle_step(ring);
            return MORE;
        }
        kept = false;
    }
    ring->finished++;
    if (!opened && tt_ring_settle_pending_drops(ring) == 0u) {
        return TT_OK; /* nothing was recorded */
    }
    if (kept) {
        keep(ring, route != 0u && tt_ring_has_room(ring));
        return KEPT;
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
        ring = tt_ring_of(stream, tt_port_cpu());
        result = tt_ring_finalizes(ring) ? finish_step(ring, stream) : TT_ERROR_STATE;
        tt_port_unlock(key);
    } while (result == MORE);
    if (result == TT_ERROR_FULL || result == KEPT) {
        tt_ring_flush(ring); /* count the lost records by class, or close the kept trace */
    }
    return result == KEPT ? TT_OK : result;
}

int tt_finalized(uint32_t stream, uint32_t *finished, uint32_t *lost)
{
    if (stream >= TT_CONFIG_STREAMS || finished == NULL || lost == NULL) {
        return TT_ERROR_ARGUMENT;
    }
    tt_port_key_t key = tt_port_lock();
    const tt_ring_t *ring = tt_ring_of(stream, tt_port_cpu());
    *finished = ring->finished;
    *lost = ring->lost;
    tt_port_unlock(key);
    return TT_OK;
}

#endif
