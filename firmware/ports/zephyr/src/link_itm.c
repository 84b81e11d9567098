/*
 * The link over one stimulus port of the ITM (SWO). The debugger switches the port on and sets the
 * rate; while it has not, the link has no room. The drain waits for the port for a while, itself
 * interruptible by everybody, never longer.
 */
#include <stdbool.h>
#include <zephyr/kernel.h>

#include "links.h"
#include "spool.h"

#define ITM_PORT        (*(volatile uint32_t *)(0xe0000000u + 4u * CONFIG_TICKERTAPE_ITM_PORT))
#define ITM_PORT_BYTE   (*(volatile uint8_t *)(0xe0000000u + 4u * CONFIG_TICKERTAPE_ITM_PORT))
#define ITM_TER         (*(volatile uint32_t *)0xe0000e00u)
#define ITM_TCR         (*(volatile uint32_t *)0xe0000e80u)
#define ITM_TCR_ENABLED 1u

/* How often the port is asked before the rest waits for the next period. */
#define TRIES 20000u

SPOOL_DEFINE(spool);

static bool is_on(void)
{
    return (ITM_TCR & ITM_TCR_ENABLED) != 0u &&
           (ITM_TER & (1u << CONFIG_TICKERTAPE_ITM_PORT)) != 0u;
}

static uint32_t room_bytes(void *context)
{
    (void)context;
    return is_on() ? byte_ring_free(&spool) : 0u;
}

static bool wait_for_port(void)
{
    uint32_t tries = 0;
    while (ITM_PORT == 0u) {
        if (++tries == TRIES) {
            return false;
        }
    }
    return true;
}

/* Four bytes at a time, as long as there are so many. */
void tt_zephyr_link_flush(void)
{
    while (byte_ring_used(&spool) != 0u && is_on() && wait_for_port()) {
        uint32_t word;
        if (byte_ring_used(&spool) >= sizeof word) {
            (void)byte_ring_read(&spool, (uint8_t *)&word, sizeof word);
            ITM_PORT = word;
        } else {
            uint8_t byte;
            (void)byte_ring_read(&spool, &byte, 1);
            ITM_PORT_BYTE = byte;
        }
    }
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)byte_ring_write(&spool, bytes, count);
}

const tt_link_t *tt_zephyr_link(void)
{
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    return &link;
}

int tt_zephyr_link_open(void)
{
    return 0;
}

bool tt_zephyr_link_sent(void)
{
    return byte_ring_used(&spool) == 0u;
}
