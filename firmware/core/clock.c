#include "clock.h"

#include <stddef.h>

#include "record.h"
#include "ring.h"
#include "tickertape/emitters.h"

/*
 * The 64-bit time is kept as the number of the last quarter period of the counter that was seen.
 * A reading lies at most two quarters around that quarter's start, so its signed distance tells
 * the whole time. Storing a quarter twice or a little late changes nothing: one word, any CPU. With
 * interrupts masked no CPU stores it later than that.
 *
 *     quarter q starts at q << 30         now
 *     |-----------------|-----------------|-- ...
 *     -2^31 <= (int32_t)(now - (q << 30)) < 2^31
 */
#define QUARTER_BITS 30u

static _Atomic uint32_t last_quarter;

#define TIME_HEADER TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0, 0, TT_CLASS_CONTROL, TT_CONTROL_TIME)

void tt_clock_reset(void)
{
    tt_poke(&last_quarter, tt_port_ticks() >> QUARTER_BITS);
}

uint64_t tt_clock_extend(uint32_t now)
{
#ifdef TT_PORT_HAS_TIME
    uint64_t time = tt_port_time(); /* a port that has all 64 bits knows better */
    return time - (uint32_t)((uint32_t)time - now);
#else
    uint32_t quarter = tt_peek(&last_quarter);
    int32_t distance = (int32_t)(now - (quarter << QUARTER_BITS));
    uint64_t ticks = ((uint64_t)quarter << QUARTER_BITS) + (uint64_t)(int64_t)distance;
    if (distance >= (int32_t)(1u << QUARTER_BITS)) {
        tt_poke(&last_quarter, (uint32_t)(ticks >> QUARTER_BITS));
    }
    return ticks;
#endif
}

/* Masked: what interrupts this for half a period would find the reading too old, or store an old
 * quarter over a newer one. */
uint64_t tt_clock_now(void)
{
    tt_port_key_t key = tt_port_lock();
    uint64_t now = tt_clock_extend(tt_port_ticks());
    tt_port_unlock(key);
    return now;
}

/* A ring that keeps one buffer open for long gets a TIME record in every half period, so that
 * the host sees each wrap of the counter as a step down between two neighbours. */
void tt_clock_poll(void)
{
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        tt_port_key_t key = tt_port_lock();
        tt_ring_t *ring = &tt_rings[stream][tt_port_cpu()];
        /* A request that comes while this one is served is a new one. */
        bool asked = TT_CONFIG_CPUS > 1 && atomic_exchange(&ring->wants_flush, false);
        uint64_t now = tt_clock_extend(tt_port_ticks());
        uint64_t silence = ring->cursor == ring->base ? 0u : now - ring->anchored;
        if (silence >= (1u << 31)) {
            const uint32_t words[2] = {(uint32_t)(now >> 32), (uint32_t)now};
            ring->anchored = now;
            (void)tt_record_words(words, TIME_HEADER, 1u << stream, NULL);
        }
        tt_port_unlock(key);
#ifdef TT_PORT_HAS_TIME /* with 32 bits alone a whole missed period cannot be seen */
        if ((silence >> 32) != 0u) {
            tt_emit_tracer_error(TT_ERROR_LATE, (uint32_t)(silence >> 32));
        }
#endif
        if (asked) {
            tt_ring_flush(ring);
        }
    }
}
