/* spool.h - the bytes that wait for a link which takes them in its own time. */
#ifndef TICKERTAPE_ZEPHYR_SPOOL_H
#define TICKERTAPE_ZEPHYR_SPOOL_H

#include <zephyr/sys/util.h>

#include "poll.h"
#include "ring_link.h"
#include "tickertape/tickertape.h"

BUILD_ASSERT((CONFIG_TICKERTAPE_LINK_BYTES & (CONFIG_TICKERTAPE_LINK_BYTES - 1)) == 0,
             "CONFIG_TICKERTAPE_LINK_BYTES has to be a power of two");
BUILD_ASSERT(CONFIG_TICKERTAPE_LINK_BYTES >= TT_LINK_LEAST_BYTES,
             "a buffer does not fit: make CONFIG_TICKERTAPE_BUFFER_RECORDS smaller or "
             "CONFIG_TICKERTAPE_LINK_BYTES larger");

/* Room for commands, which hosts send one after the other: two of the longest at least. */
#define SPOOL_RX_BYTES (TT_CONFIG_COMMAND_PAYLOAD_BYTES == 0 ? 128u : 512u)

/* Wake the drain from an interrupt of the link that has `used` bytes left to send, once half of its
 * room is free: the drain then needs no period to go on, and a small ring is enough. */
static inline void tt_zephyr_wake_for_room(uint32_t used)
{
    if (used <= CONFIG_TICKERTAPE_LINK_BYTES / 2u && tt_drain_waits()) {
        tt_zephyr_wake_from_link();
    }
}

/* Where its bytes are to lie. */
#ifndef SPOOL_PLACE
#define SPOOL_PLACE
#endif

/* Defines `name`, a ring_link_t over CONFIG_TICKERTAPE_LINK_BYTES; RING_LINK_INIT() has the rest.
 */
#define SPOOL_DEFINE(name, get_bytes, ...)                                                         \
    static SPOOL_PLACE uint8_t name##_bytes[CONFIG_TICKERTAPE_LINK_BYTES];                         \
    static ring_link_t name = {RING_LINK_INIT(name, name##_bytes, get_bytes), __VA_ARGS__}

#endif
