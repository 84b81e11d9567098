#include <stdlib.h>

#include "event_types.h"
#include "tickertape/wire.h"

static int compare(const void *key, const void *row)
{
    uint32_t code = *(const uint32_t *)key;
    uint32_t other = ((const event_type_t *)row)->code;
    return (code > other) - (code < other);
}

int tt_tape_type(uint8_t event_class, uint16_t event, tt_tape_type_t *type)
{
    uint32_t code = (uint32_t)event_class << TT_RECORD_CLASS_FIRST_BIT | event;
    const event_type_t *row =
        event > TT_RECORD_EVENT_MASK
            ? NULL
            : bsearch(&code, event_types, event_type_count, sizeof *event_types, compare);
    if (row == NULL) {
        return TT_TAPE_OUT_OF_RANGE;
    }
    *type = row->type;
    return TT_TAPE_OK;
}
