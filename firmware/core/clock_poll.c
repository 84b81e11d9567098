/* Polls of the clock: TIME records for rings that are silent for long, flushes that another CPU or
 * the probe has requested, and reports of polls that came too late. */
#include <stddef.h>

#include "clock.h"
#include "record.h"
#include "ring.h"
#include "tickertape/emitters.h"

#define TIME_HEADER TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0, 0, TT_CLASS_CONTROL, TT_CONTROL_TIME)

/* Record TIME in a ring that was silent for half a period of the counter or longer. Returns how
 * long the ring was silent, in ticks. If *more is true, the ring has taken a step towards room:
 * call again. Interrupts masked. */
static uint64_t mark_time(uint32_t stream, bool *more)
{
    tt_ring_t *ring = tt_ring_of(stream, tt_port_cpu());
    uint32_t ticks = tt_port_ticks();
    uint64_t now = tt_clock_extend(ticks);
    *more = false;
    if (!tt_ring_has_records(ring)) {
        ring->limit = ring->base; /* opened for a record that went elsewhere: open it again */
        return 0;
    }
    uint64_t silence = now - ring->anchored;
    if (silence < (1u << 31)) {
        return silence;
    }
    if (!tt_ring_has_room(ring)) {
        *more = tt_ring_advance(ring, TIME_HEADER, ticks);
    } else {
        const uint32_t words[2] = {(uint32_t)(now >> 32), (uint32_t)now};
        ring->anchored = now;
        tt_record_words(words, TIME_HEADER, 1u << stream, NULL);
    }
    return silence;
}

/* A ring whose buffer stays open for long gets a TIME record in every half period, so that the host
 * sees each wrap of the counter as a smaller time after a larger one. */
void tt_clock_poll(void)
{
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        uint64_t silence = 0;
        bool more;
        do {
            tt_port_key_t key = tt_port_lock();
            uint64_t now_silent = mark_time(stream, &more);
            tt_port_unlock(key);
            silence = now_silent > silence ? now_silent : silence;
        } while (more);
#ifdef TT_PORT_HAS_TIME /* a counter of 32 bits does not show that a whole period was missed */
        if ((silence >> 32) != 0u) {
            tt_emit_tracer_error(TT_ERROR_LATE, (uint32_t)(silence >> 32));
        }
#endif
#if TT_CONFIG_CPUS > 1 || TT_CONFIG_PROBE
        tt_port_key_t key = tt_port_lock();
        tt_ring_t *ring = tt_ring_of(stream, tt_port_cpu());
        /* Clear the request first: one that comes during the flush is a new one. */
        bool asked = atomic_exchange(&ring->wants_flush, false);
        tt_port_unlock(key);
        if (asked) {
            tt_ring_flush(ring);
        }
#endif
    }
}

void tt_clock_poll_after(uint64_t elapsed_ticks)
{
    tt_clock_poll();
    if (tt_clock_falls_behind(elapsed_ticks, tt_clock_hz())) {
        tt_emit_tracer_error(TT_ERROR_STOPPED, 0);
    }
#ifndef TT_PORT_HAS_TIME
    if (elapsed_ticks >= TT_CLOCK_LONGEST) {
        tt_emit_tracer_error(TT_ERROR_LATE, (uint32_t)((elapsed_ticks + TT_CLOCK_LONGEST) >> 32));
    }
#endif
}
