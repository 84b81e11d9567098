#include "clock.h"

#include "shared.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

#ifdef TT_PORT_HAS_TIME

void tt_clock_reset(void)
{
}

uint64_t tt_clock_extend(uint32_t now)
{
    uint64_t time = tt_port_time(); /* the port's counter has 64 bits */
    return time - (uint32_t)((uint32_t)time - now);
}

#elif TT_PARALLEL

/*
 * Several CPUs share the clock without a lock, so it is one word: the number of the quarter period
 * of the counter, from tt_init() on, in which the last reading lay. A reading of another CPU may
 * be older than that quarter, because it was delayed; nothing is older than the first quarter, so
 * time never goes below its start. Storing the number twice, or late by less than a quarter,
 * changes nothing; interrupts are masked, which limits the delay.
 *
 *          quarter q starts at origin + (q << 30)       now
 *     |-----------------|-----------------|-----------------|-----------------|
 *     -2^30 (q > 0)     0                                                     3 * 2^30 (q = 0:
 * 2^32)
 */
#define QUARTER_BITS 30u

static _Atomic uint32_t origin;
static _Atomic uint32_t last_quarter;

void tt_clock_reset(void)
{
    tt_poke(&origin, tt_port_ticks());
    tt_poke(&last_quarter, 0);
}

uint64_t tt_clock_extend(uint32_t now)
{
    uint32_t first = tt_peek(&origin);
    uint32_t quarter = tt_peek(&last_quarter);
    uint32_t distance = now - first - (quarter << QUARTER_BITS);
    uint64_t start = ((uint64_t)quarter << QUARTER_BITS) + first;
    uint32_t quarters = distance >> QUARTER_BITS;
    if (quarters == 3u && quarter != 0u) {
        return start - (uint32_t)-distance; /* read before the quarter began */
    }
    if (quarters != 0u) {
        tt_poke(&last_quarter, quarter + quarters);
    }
    return start + distance;
}

#else

/* Readings that lie less than this many ticks before the last one are older: a counter that is
 * composed of several registers may step back a little. */
#define STEP_BACK_TICKS (1u << 16)

static uint64_t origin; /* time at tt_init() */
static uint64_t last;   /* the newest reading; only changed with interrupts masked */

void tt_clock_reset(void)
{
    origin = tt_port_ticks();
    last = origin;
}

uint64_t tt_clock_extend(uint32_t now)
{
    uint32_t distance = now - (uint32_t)last;
    uint32_t back = (uint32_t)-distance;
    if (back < STEP_BACK_TICKS && back <= last - origin) {
        return last - back;
    }
    last += distance;
    return last;
}

#endif

/* Interrupts are masked, because an interruption of half a period would make the reading too old,
 * or overwrite a newer time with an older one. */
uint64_t tt_clock_now(void)
{
    tt_port_key_t key = tt_port_lock();
    uint64_t now = tt_clock_extend(tt_port_ticks());
    tt_port_unlock(key);
    return now;
}

_Atomic bool tt_clock_stops;

/* Length of a comparison, s: a kernel that counts its ticks late, all at once, is not far ahead in
 * so long a time. */
#define COMPARISON_S 4u

/* Times by both clocks since the comparison began, in ticks. */
static struct {
    uint64_t begin;    /* 64-bit time */
    uint64_t expected; /* time that has passed by the other clock */
    bool has_begun;
} comparison;

bool tt_clock_falls_behind(uint64_t elapsed_ticks, uint32_t tick_hz)
{
    uint64_t now = tt_clock_now();
    if (!comparison.has_begun || elapsed_ticks >= TT_CLOCK_LONGEST) {
        comparison.begin = now;
        comparison.expected = 0;
        comparison.has_begun = true;
        return false;
    }
    comparison.expected += elapsed_ticks;
    if (comparison.expected < (uint64_t)tick_hz * COMPARISON_S) {
        return false;
    }
    bool is_behind = now - comparison.begin < comparison.expected - comparison.expected / 8u;
    bool is_new = is_behind && !tt_is_set(&tt_clock_stops);
    comparison.has_begun = false;
    if (is_new) {
        tt_set(&tt_clock_stops, true);
    }
    return is_new;
}
