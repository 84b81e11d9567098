#include "hardware_trace.h"

#include <stddef.h>

#include "tickertape/tickertape.h"

_Static_assert(offsetof(dwt_registers_t, comparator) == 0x20, "the layout of the architecture");
_Static_assert(offsetof(dwt_registers_t, lar) == 0xfb0, "the layout of the architecture");
_Static_assert(sizeof(dwt_comparator_t) == 16, "the layout of the architecture");

#define MOST_WORDS 6u

/* Write the words of an announcement; the last one becomes the check. */
static void write_words(hardware_trace_t *trace, uint32_t *words, uint32_t count)
{
    uint32_t check = HARDWARE_CHECK;
    for (uint32_t i = 0; i < count - 1u; i++) {
        check ^= words[i];
    }
    words[count - 1u] = check;
    for (uint32_t i = 0; i < count && itm_port_write(&trace->port, words[i], 4); i++) {
    }
}

/* Announce the time. The wait for the port, which is rare, delays the first word after the clock
 * was read. */
static void announce_time(hardware_trace_t *trace)
{
    const uint64_t now = tt_clock_now();
    uint32_t words[MOST_WORDS] = {HARDWARE_ANNOUNCE_TIME, (uint32_t)now, (uint32_t)(now >> 32),
                                  trace->tick_hz, trace->stamp_hz};
    trace->announced = now;
    write_words(trace, words, 6);
}

static void announce_watch(hardware_trace_t *trace, uint32_t comparator, uint32_t bytes)
{
    uint32_t words[MOST_WORDS] = {HARDWARE_ANNOUNCE_WATCH + comparator,
                                  trace->watch[comparator].begin, bytes};
    write_words(trace, words, 4);
}

static uint8_t state_of(const hardware_watch_t *watch)
{
    return __atomic_load_n(&watch->state, __ATOMIC_ACQUIRE);
}

static void set_state(hardware_watch_t *watch, hardware_watch_state_t state)
{
    __atomic_store_n(&watch->state, (uint8_t)state, __ATOMIC_RELEASE);
}

static uint32_t comparators(const hardware_trace_t *trace)
{
    const uint32_t count = DWT_CTRL_COMPARATORS(trace->dwt->ctrl);
    return count < DWT_COMPARATORS ? count : DWT_COMPARATORS;
}

void hardware_trace_start(hardware_trace_t *trace, uint32_t what, uint32_t sample_cycles)
{
    trace->dwt->lar = DWT_UNLOCK; /* a Cortex-M7 ignores the writes below without it */
    uint32_t ctrl = trace->dwt->ctrl & ~(DWT_CTRL_SYNC_MASK | DWT_CTRL_POSTPRESET_MASK |
                                         DWT_CTRL_TAP_10 | DWT_CTRL_SAMPLES_ON);
    ctrl |= DWT_CTRL_CYCCNT_ON | DWT_CTRL_SYNC_24;
    if ((what & HARDWARE_TRACE_EXCEPTIONS) != 0u) {
        ctrl |= DWT_CTRL_EXCEPTIONS_ON;
    }
    if ((what & HARDWARE_TRACE_SAMPLES) != 0u) {
        const uint32_t unit = sample_cycles <= 16u * 64u ? 64u : 1024u;
        uint32_t taps = sample_cycles / unit + (sample_cycles % unit != 0u ? 1u : 0u);
        taps = taps < 1u ? 1u : taps > 16u ? 16u : taps;
        ctrl |= DWT_CTRL_SAMPLES_ON | DWT_CTRL_POSTPRESET(taps - 1u);
        ctrl |= unit == 1024u ? DWT_CTRL_TAP_10 : 0u;
    }
    trace->port.itm->tcr |= ITM_TCR_STAMPS;
    trace->dwt->ctrl = ctrl;
    trace->is_on = true;
    announce_time(trace);
}

/* Return the number of address bits inside the smallest aligned block that contains a range. */
static uint32_t block_bits(uint32_t begin, uint32_t bytes)
{
    uint32_t bits = 0;
    for (uint32_t others = begin ^ (begin + (bytes - 1u)); others != 0u; others >>= 1) {
        bits++;
    }
    return bits;
}

int hardware_trace_watch(hardware_trace_t *trace, uint32_t begin, uint32_t bytes)
{
    if (bytes == 0u || begin + (bytes - 1u) < begin || block_bits(begin, bytes) > DWT_MOST_MASK) {
        return TT_ERROR_ARGUMENT;
    }
    if (trace->stamp_hz == 0u || (trace->dwt->ctrl & DWT_CTRL_NO_TRACE) != 0u) {
        return TT_ERROR_STATE;
    }
    for (uint32_t i = 0; i < comparators(trace); i++) {
        hardware_watch_t *watch = &trace->watch[i];
        if (state_of(watch) == HARDWARE_WATCH_FREE &&
            (trace->dwt->comparator[i].function & DWT_FUNCTION_MASK) == 0u) {
            watch->begin = begin;
            watch->bytes = bytes;
            set_state(watch, HARDWARE_WATCH_WANTED);
            return (int)i;
        }
    }
    return TT_ERROR_FULL;
}

int hardware_trace_watch_end(hardware_trace_t *trace, int comparator)
{
    const uint32_t number = (uint32_t)comparator;
    if (number >= DWT_COMPARATORS) {
        return TT_ERROR_ARGUMENT;
    }
    hardware_watch_t *watch = &trace->watch[number];
    const uint8_t state = state_of(watch);
    if (state != HARDWARE_WATCH_WANTED && state != HARDWARE_WATCH_ON) {
        return TT_ERROR_ARGUMENT;
    }
    /* The drain may be about to enable it: it disables it again when it sees this state. */
    trace->dwt->comparator[number].function = 0;
    set_state(watch, HARDWARE_WATCH_ENDED);
    return TT_OK;
}

/* Enable or disable a watch as requested. The host gets the announcement before the first packet of
 * the watch, and that of its end after the last one. */
static void follow(hardware_trace_t *trace, uint32_t number)
{
    hardware_watch_t *watch = &trace->watch[number];
    dwt_comparator_t *comparator = &trace->dwt->comparator[number];
    uint8_t state = state_of(watch);
    if (state == HARDWARE_WATCH_WANTED) {
        announce_watch(trace, number, watch->bytes);
        if (__atomic_compare_exchange_n(&watch->state, &state, (uint8_t)HARDWARE_WATCH_ON, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            const uint32_t bits = block_bits(watch->begin, watch->bytes);
            comparator->comp = watch->begin & ~((1u << bits) - 1u);
            comparator->mask = bits;
            comparator->function =
                DWT_FUNCTION_TRACE_WRITE | (bits > 2u ? DWT_FUNCTION_OFFSET : 0u);
        }
    } else if (state == HARDWARE_WATCH_ENDED) {
        comparator->function = 0;
        announce_watch(trace, number, 0);
        set_state(watch, HARDWARE_WATCH_FREE);
    }
}

void hardware_trace_poll(hardware_trace_t *trace)
{
    bool is_due = trace->is_on && tt_clock_now() - trace->announced >= trace->tick_hz / 10u;
    if (is_due) {
        announce_time(trace);
    }
    for (uint32_t i = 0; i < DWT_COMPARATORS; i++) {
        const uint8_t state = state_of(&trace->watch[i]);
        if (state == HARDWARE_WATCH_WANTED && !trace->is_on) {
            hardware_trace_start(trace, 0, 0);
        }
        follow(trace, i);
        if (is_due && state == HARDWARE_WATCH_ON) {
            announce_watch(trace, i, trace->watch[i].bytes);
        }
    }
}
