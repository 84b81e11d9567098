/*
 * tickertape/combine.h - events that carry bytes: several records that the host joins again.
 *
 * A combine event is a BEGIN record, any number of CONTINUE records and an END record, all with the
 * same header and time stamp; the last word of END is the exact number of payload bytes. Interrupts
 * and other threads may record events in between, also of the same type and at the same tick: the
 * host joins each event from its own records.
 *
 * On several CPUs, an event that one call records (add.h, emitters) is always complete: if its
 * thread moves to another CPU meanwhile, the event is recorded again there. An event that stays
 * open over several calls ends when its thread moves: the host counts it as incomplete.
 */
#ifndef TICKERTAPE_COMBINE_H
#define TICKERTAPE_COMBINE_H

#include <stdint.h>

#include "tickertape/api.h"

TT_API_BEGIN

/* An event being recorded; keep it on the stack of the caller. Its fields are private. */
typedef struct tt_combine {
    uint32_t header;
    uint32_t route;
    uint32_t time;     /* time of BEGIN, or the key */
    uint32_t bytes;    /* payload so far */
    uint32_t words[2]; /* the record being filled */
} tt_combine_t;

/*
 * Begin an event, add any number of pieces of any length in bytes, end it. Nothing is recorded when
 * no stream takes the event type. Any context but NMI and HardFault (tickertape.h). Masked: 56 a
 * record, up to 143 when a ring switches its buffer.
 */
TT_API void tt_combine_begin(tt_combine_t *combine, uint32_t event_class, uint32_t event)
    TT_WITHOUT();
TT_API void tt_combine_add(tt_combine_t *combine, const void *bytes, uint32_t count) TT_WITHOUT();
TT_API void tt_combine_end(tt_combine_t *combine) TT_WITHOUT();

TT_API_END

#endif
