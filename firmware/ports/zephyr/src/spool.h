/* spool.h - ring of bytes for a link that sends them later than the drain puts them. */
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

/* Room for commands: the longest one, or six without a payload. A host sends the next command after
 * the reply to the last one. It begins each with a delimiter, so a command that found no room does
 * not damage the next one. */
#define SPOOL_RX_BYTES (TT_CONFIG_COMMAND_PAYLOAD_BYTES == 0 ? 128u : 256u)

/* Wake the drain from an interrupt of the link if the drain waits for room and half of the ring is
 * free. `used` is the number of bytes left to send. The drain then continues before its next
 * period, and a small ring is enough. */
static inline void tt_zephyr_wake_for_room(uint32_t used)
{
    if (used <= CONFIG_TICKERTAPE_LINK_BYTES / 2u && tt_drain_waits()) {
        tt_zephyr_wake_from_link();
    }
}

/* Attribute that places the bytes of the ring in memory. */
#ifndef SPOOL_PLACE
#define SPOOL_PLACE
#endif

/* Define `name`, a ring_link_t with CONFIG_TICKERTAPE_LINK_BYTES bytes. RING_LINK_INIT() describes
 * the other arguments. */
#define SPOOL_DEFINE(name, get_bytes, ...)                                                         \
    static SPOOL_PLACE uint8_t name##_bytes[CONFIG_TICKERTAPE_LINK_BYTES];                         \
    static ring_link_t name = {RING_LINK_INIT(name, name##_bytes, get_bytes), __VA_ARGS__}

#endif
