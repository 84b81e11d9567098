/* core/names.h - names of defined event types and of streams. */
#ifndef TICKERTAPE_CORE_NAMES_H
#define TICKERTAPE_CORE_NAMES_H

#include <stdbool.h>

#include "shared.h"
#include "tickertape/define.h"
#include "tickertape/stream.h"
#include "tickertape/tickertape.h"

/* Set when a name was given or removed; the drain clears it and announces all names. */
extern _Atomic bool tt_names_changed;

#if TT_CONFIG_STREAM_NAMES
/* Remove the names of all streams. Called by tt_init(). */
void tt_names_reset(void);
#else
static inline void tt_names_reset(void)
{
}
#endif

#endif
