/*
 * Link over RTT: a separate channel in memory that a debug probe reads. Only the drain uses the
 * channel, so the functions without a lock are enough; the others would mask interrupts while a
 * frame is copied.
 */
#include <SEGGER_RTT.h>
#include <errno.h>
#include <stdbool.h>
#include <zephyr/sys/util.h>

#include "links.h"

#define CHANNEL CONFIG_TICKERTAPE_RTT_CHANNEL

BUILD_ASSERT(CONFIG_TICKERTAPE_LINK_BYTES > TT_LINK_LEAST_BYTES,
             "a buffer does not fit: make CONFIG_TICKERTAPE_BUFFER_RECORDS smaller or "
             "CONFIG_TICKERTAPE_LINK_BYTES larger");

static uint8_t up[CONFIG_TICKERTAPE_LINK_BYTES];
static uint8_t down[256];
static bool is_open;

static uint32_t room_bytes(void *context)
{
    (void)context;
    return is_open ? SEGGER_RTT_GetAvailWriteSpace(CHANNEL) : 0u;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)SEGGER_RTT_WriteNoLock(CHANNEL, bytes, count);
}

static uint32_t get(void *context, uint8_t *bytes, uint32_t count)
{
    (void)context;
    return SEGGER_RTT_ReadNoLock(CHANNEL, bytes, count);
}

const tt_link_t *tt_zephyr_link(void)
{
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put, .get = get};
    return &link;
}

int tt_zephyr_link_open(void)
{
    int status = SEGGER_RTT_ConfigUpBuffer(CHANNEL, "tickertape", up, sizeof up,
                                           SEGGER_RTT_MODE_NO_BLOCK_SKIP);
    if (status < 0 || SEGGER_RTT_ConfigDownBuffer(CHANNEL, "tickertape", down, sizeof down,
                                                  SEGGER_RTT_MODE_NO_BLOCK_SKIP) < 0) {
        return -ENODEV;
    }
    is_open = true;
    return 0;
}

void tt_zephyr_link_flush(void)
{
}

bool tt_zephyr_link_sent(void)
{
    return SEGGER_RTT_GetBytesInBuffer(CHANNEL) == 0u;
}
