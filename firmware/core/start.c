/* Start, stop, hold and flush streams; attach hosts to named streams. */
#include "start.h"

#include <stddef.h>
#include <string.h>

#include "names.h"
#include "ring.h"
#include "route.h"
#include "state.h"
#include "target.h"
#include "tickertape/emitters.h"
#include "tickertape/stream.h"

#if TT_CONFIG_STREAM_NAMES
/* Value of tt_stream_generation() when a host attached to the stream; 0: no host is attached. */
static uint32_t attached[TT_CONFIG_STREAMS];
#endif

void tt_start_reset(void)
{
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        tt_set(&tt_streams[stream].running, false);
        tt_set(&tt_streams[stream].held, false);
        tt_store(&tt_streams[stream].starts, 1);
#if TT_CONFIG_STREAM_NAMES
        attached[stream] = 0;
#endif
    }
}

int tt_start_without_state(uint32_t stream)
{
    if (stream >= TT_CONFIG_STREAMS) {
        return TT_ERROR_ARGUMENT;
    }
    if (tt_target() == NULL) {
        return TT_ERROR_STATE;
    }
    tt_set_running(stream, true);
    tt_route_refresh(TT_ROUTE_RANGE(TT_ROUTE_TRACER_START,
                                    TT_ROUTE_TRACER_START + 1u)); /* no other event precedes it */
    /* One record even if the wide form is selected: its further words are filters that only a
     * façade knows. */
    TT_EMIT2(TT_CLASS_TRACER, TT_TRACER_START, TT_ROUTE_TRACER_START, stream, 0u);
    tt_route_refresh(TT_EVERY_ROUTE);
    return TT_OK;
}

int tt_start(uint32_t stream)
{
    int result = tt_start_without_state(stream);
    if (result == TT_OK) {
        tt_state_dump(stream);
    }
    return result;
}

int tt_stop(uint32_t stream)
{
    if (stream >= TT_CONFIG_STREAMS) {
        return TT_ERROR_ARGUMENT;
    }
    tt_emit_tracer_stop(stream, 0);
    tt_set_running(stream, false);
    tt_route_refresh(TT_EVERY_ROUTE);
    return TT_OK;
}

int tt_pause_drain(uint32_t stream, bool hold)
{
    if (stream >= TT_CONFIG_STREAMS) {
        return TT_ERROR_ARGUMENT;
    }
    tt_set(&tt_streams[stream].held, hold);
    return TT_OK;
}

void tt_flush(uint32_t stream)
{
    if (stream < TT_CONFIG_STREAMS) {
        tt_port_key_t key = tt_port_lock();
        tt_ring_t *ring = tt_ring_of(stream, tt_port_cpu());
        tt_port_unlock(key);
        tt_ring_flush(ring); /* if the thread has moved, that CPU does it later */
    }
}

void tt_flush_all(uint32_t stream)
{
    for (uint32_t cpu = 0; stream < TT_CONFIG_STREAMS && cpu < TT_RING_CPUS; cpu++) {
        tt_ring_flush(&tt_rings[stream][cpu]);
    }
}

#if TT_CONFIG_STREAM_NAMES

int tt_stream_attach(uint32_t stream, bool attach)
{
    if (tt_stream_name(stream) == NULL) {
        return TT_ERROR_ARGUMENT;
    }
    attached[stream] = attach ? tt_stream_generation(stream) : 0u;
    return tt_pause_drain(stream, !attach);
}

bool tt_stream_attached(uint32_t stream)
{
    return tt_stream_name(stream) != NULL && attached[stream] == tt_stream_generation(stream);
}

void tt_flush_attached(void)
{
    for (uint32_t i = 0; i < TT_CONFIG_STREAMS; i++) {
        if (tt_stream_attached(i)) {
            tt_flush_all(i);
        }
    }
}

#endif
