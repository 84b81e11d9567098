/* core/names.h - names of defined event types and of streams. */
#ifndef TICKERTAPE_CORE_NAMES_H
#define TICKERTAPE_CORE_NAMES_H

#include <stdbool.h>

#include "shared.h"
#include "tickertape/define.h"
#include "tickertape/stream.h"
#include "tickertape/tickertape.h"

/* A name is new or gone; the drain clears this and announces all names. */
extern _Atomic bool tt_names_changed;

#if TT_CONFIG_STREAM_NAMES
/* Remove the names of all streams. */
void tt_names_reset(void);
#else
static inline void tt_names_reset(void)
{
}
#endif

#endif
