/*
 * tickertape/link.h - what a carrier of bytes owes the drain.
 *
 * The drain sends whole frames only: it asks for room first and then puts the bytes of one frame.
 * A link never waits; when it has no room the drain tries again later. A link that serves
 * interrupts keeps them untraced, else every byte sent would make new events.
 */
#ifndef TICKERTAPE_LINK_H
#define TICKERTAPE_LINK_H

#include <stdint.h>

typedef struct tt_link {
    void *context; /* handed back in every call */
    /* Bytes that put() takes now without waiting. Called by the drain thread. */
    uint32_t (*room_bytes)(void *context);
    /* Take `count` bytes, never more than room_bytes() said. Called by the drain thread. */
    void (*put)(void *context, const uint8_t *bytes, uint32_t count);
    /* Copy up to `count` received bytes and return how many. Called by the drain thread. May be
     * NULL. */
    uint32_t (*get)(void *context, uint8_t *bytes, uint32_t count);
} tt_link_t;

#endif
