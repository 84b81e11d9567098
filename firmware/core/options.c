/* Options (tickertape/config.h) that are out of range or exclude each other, with the reason. */
#include "tickertape/tickertape.h"

_Static_assert(TT_CONFIG_STREAMS >= 1 && TT_CONFIG_STREAMS <= 8,
               "TT_CONFIG_STREAMS: 1-8, a bit each in a route");
_Static_assert(TT_CONFIG_CPUS >= 1 && TT_CONFIG_CPUS <= 8, "TT_CONFIG_CPUS: 1-8");

/* What the writer may change on its CPU alone, a reader changes with that CPU's interrupts masked.
 */
_Static_assert(!TT_CONFIG_READERS || TT_CONFIG_CPUS == 1, "TT_CONFIG_READERS: one CPU");

/* A reader may ask for the buffer that is being filled; one that waits until its trace is finished
 * cannot be had, and its records do not lie in their order. */
_Static_assert(TT_CONFIG_READERS + TT_CONFIG_FINALIZE <= 1,
               "TT_CONFIG_READERS: without TT_CONFIG_FINALIZE");

_Static_assert(TT_CONFIG_POLICY < TT_POLICY_FINALIZE || TT_CONFIG_FINALIZE,
               "TT_CONFIG_POLICY: FINALIZE needs TT_CONFIG_FINALIZE");
