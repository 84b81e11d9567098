/* tt_init(), tt_drain_step() and the checks of all options. */
#include <stddef.h>

#include "announce.h"
#include "clock.h"
#include "command.h"
#include "drain.h"
#include "names.h"
#include "outlet.h"
#include "ring.h"
#include "route.h"
#include "send.h"
#include "start.h"
#include "target.h"
#include "tickertape/filter.h"
#include "tickertape/tickertape.h"

/* Options (tickertape/config.h) that are out of range or exclude each other, with the reason. */
_Static_assert(TT_CONFIG_STREAMS >= 1 && TT_CONFIG_STREAMS <= 8,
               "TT_CONFIG_STREAMS: 1-8, a bit each in a route");
_Static_assert(TT_CONFIG_CRC_TABLE == 64 || TT_CONFIG_CRC_TABLE == 1024,
               "TT_CONFIG_CRC_TABLE: 64 or 1024");
_Static_assert(TT_CONFIG_DRAIN_SLICE >= 0 && TT_CONFIG_DRAIN_SLICE <= 4000,
               "TT_CONFIG_DRAIN_SLICE: 0-4000");
_Static_assert(TT_CONFIG_COMMAND_PAYLOAD_BYTES >= 0 &&
                   TT_CONFIG_COMMAND_PAYLOAD_BYTES <= TT_LIMIT_MAX_COMMAND_PAYLOAD_BYTES,
               "TT_CONFIG_COMMAND_PAYLOAD_BYTES: 0-192");
_Static_assert(TT_CONFIG_CPUS >= 1 && TT_CONFIG_CPUS <= 8, "TT_CONFIG_CPUS: 1-8");

_Static_assert(TT_CONFIG_FILTERS >= 1 && TT_CONFIG_FILTERS <= 255, "TT_CONFIG_FILTERS: 1-255");
_Static_assert(TT_CONFIG_HANDLER_RUNS >= 1 && TT_CONFIG_HANDLER_RUNS <= 255,
               "TT_CONFIG_HANDLER_RUNS: 1-255");
_Static_assert(TT_CONFIG_EVENT_MASKS >= 0 && TT_CONFIG_EVENT_MASKS <= 1024,
               "TT_CONFIG_EVENT_MASKS: 0-1024");
_Static_assert(TT_CONFIG_DEFINITIONS >= 0 && TT_CONFIG_DEFINITIONS <= 255,
               "TT_CONFIG_DEFINITIONS: 0-255");
_Static_assert(TT_CONFIG_DEFINITION_NAME_BYTES >= 2 && TT_CONFIG_DEFINITION_NAME_BYTES <= 64,
               "TT_CONFIG_DEFINITION_NAME_BYTES: 2-64");
_Static_assert(TT_CONFIG_STREAM_NAME_BYTES >= 2 && TT_CONFIG_STREAM_NAME_BYTES <= 64,
               "TT_CONFIG_STREAM_NAME_BYTES: 2-64");

/* A reader on the target changes members of a ring that the writer changes too, under the port's
 * lock. */
#ifndef TT_PORT_LOCKS_ALL_CPUS
_Static_assert(!TT_CONFIG_READERS || TT_CONFIG_CPUS == 1,
               "TT_CONFIG_READERS: a port whose lock excludes all CPUs");
#endif

/* A reader may take the open buffer; a buffer of an unfinished FINALIZE trace
 * cannot be taken, and its records are not in order. */
_Static_assert(TT_CONFIG_READERS + TT_CONFIG_FINALIZE <= 1,
               "TT_CONFIG_READERS: without TT_CONFIG_FINALIZE");

/* A reader on the target does not check whether the probe has the buffers. */
_Static_assert(TT_CONFIG_READERS + TT_CONFIG_PROBE <= 1,
               "TT_CONFIG_PROBE: without TT_CONFIG_READERS");

_Static_assert(TT_CONFIG_POLICY < TT_POLICY_FINALIZE || TT_CONFIG_FINALIZE,
               "TT_CONFIG_POLICY: FINALIZE needs TT_CONFIG_FINALIZE");

/* Return whether a link has all functions that the drain calls. */
static bool is_complete(const tt_link_t *link)
{
    return link != NULL && link->room_bytes != NULL &&
           (link->acquire != NULL ? link->commit != NULL
                                  : TT_CONFIG_COPYING_LINK && link->put != NULL);
}

int tt_init(const tt_target_t *target, const tt_link_t *link)
{
    if (target == NULL || target->name == NULL || target->tick_hz == 0u || !is_complete(link)) {
        return TT_ERROR_ARGUMENT;
    }
    tt_target_set(target);
    tt_drain_reset();
    tt_outlet_reset(link);
    tt_send_reset();
    for (uint32_t i = 0; i < TT_RING_COUNT; i++) {
        tt_ring_reset(tt_ring_at(i));
        tt_ring_at(i)->policy = TT_CONFIG_POLICY;
    }
    tt_start_reset();
    tt_route_reset();
    tt_clear_filters(); /* also updates the routes */
    tt_clock_reset();
    tt_command_reset();
    tt_names_reset();
    tt_announce_reset();
    tt_announce_ask(TT_ANNOUNCE_NAMES);
    return TT_OK;
}

bool tt_drain_step(void)
{
    if (tt_target() == NULL) { /* tt_init() has not succeeded: there is no link */
        return false;
    }
    if (tt_is_set(&tt_routes_late)) {
        tt_set(&tt_routes_late, false);
        tt_route_refresh(TT_EVERY_ROUTE);
    }
    bool may_hear_more = tt_command_hear();
    return tt_command_reply() || tt_drain_send() || may_hear_more;
}
