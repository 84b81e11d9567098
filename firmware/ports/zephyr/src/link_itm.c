/*
 * Link over one stimulus port of the ITM (SWO). The debugger enables the port and sets the rate;
 * until then the link has no room. The drain polls the port for a bounded time, with interrupts
 * enabled.
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

/* Polls of the port before the remaining bytes are left for the next period. */
#define TRIES 20000u

static bool is_on(void)
{
    return (ITM_TCR & ITM_TCR_ENABLED) != 0u &&
           (ITM_TER & (1u << CONFIG_TICKERTAPE_ITM_PORT)) != 0u;
}

SPOOL_DEFINE(spool, NULL, .pump = is_on);

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

/* Write four bytes at a time, and the last ones singly. */
void tt_zephyr_link_flush(void)
{
    while (byte_ring_used(&spool.tx) != 0u && is_on() && wait_for_port()) {
        uint32_t word;
        if (byte_ring_used(&spool.tx) >= sizeof word) {
            (void)byte_ring_read(&spool.tx, (uint8_t *)&word, sizeof word);
            ITM_PORT = word;
        } else {
            uint8_t byte;
            (void)byte_ring_read(&spool.tx, &byte, 1);
            ITM_PORT_BYTE = byte;
        }
    }
}

const tt_link_t *tt_zephyr_link(void)
{
    return &spool.link;
}

int tt_zephyr_link_open(void)
{
    return 0;
}

bool tt_zephyr_link_sent(void)
{
    return byte_ring_used(&spool.tx) == 0u;
}
