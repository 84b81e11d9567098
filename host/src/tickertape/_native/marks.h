/* Actions that distinguish jobs from other instances; `MARKS` of model/transitions.py. */
#ifndef TICKERTAPE_NATIVE_MARKS_H
#define TICKERTAPE_NATIVE_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "model_tables.h"

static inline bool tt_is_mark(uint8_t action)
{
    return action == TT_ACTION_BEGIN_JOB || action == TT_ACTION_NO_JOB ||
           action == TT_ACTION_CANCEL;
}

#endif
