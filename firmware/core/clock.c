#include "clock.h"

#include "shared.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

/*
 * The clock stores 64-bit time as one word: the number of the quarter period of the counter in
 * which the last reading lay. A new reading is less than two quarters before or after the start of
 * that quarter, so its signed distance determines the 64-bit time. Any CPU may store the number.
 * Storing it twice, or late by less than a quarter, changes nothing; interrupts are masked, which
 * limits the delay.
 *
 *     quarter q starts at q << 30         now
 *     |-----------------|-----------------|-- ...
 *     -2^31 <= (int32_t)(now - (q << 30)) < 2^31
 */
#define QUARTER_BITS 30u

static _Atomic uint32_t last_quarter;

void tt_clock_reset(void)
{
    tt_poke(&last_quarter, tt_port_ticks() >> QUARTER_BITS);
}

uint64_t tt_clock_extend(uint32_t now)
{
#ifdef TT_PORT_HAS_TIME
    uint64_t time = tt_port_time(); /* the port's counter has 64 bits */
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

/* Interrupts are masked, because an interruption of half a period would make the reading too old,
 * or overwrite a newer quarter with an older one. */
uint64_t tt_clock_now(void)
{
    tt_port_key_t key = tt_port_lock();
    uint64_t now = tt_clock_extend(tt_port_ticks());
    tt_port_unlock(key);
    return now;
}
