/*
 * links/memory_link.h - a trace link through memory that a debug probe or another core reads.
 *
 *     target: frames --> up ring --> host            host: commands --> down ring --> target
 *
 * A head (tt_wire_memory_link_t; protocol/SPEC.md, "Frames in memory") describes both rings. Each
 * side writes only its own counters. The link never waits: if the host reads too slowly, the up
 * ring fills, and the recorder loses records according to its policy and counts them.
 *
 * Head and rings must lie in memory where the reader sees writes of the target: without a write
 * cache, or with one that both share. Build the recorder with TT_CONFIG_MEMORY_LINK=1.
 */
#ifndef LINKS_MEMORY_LINK_H
#define LINKS_MEMORY_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/link.h"

TT_C_BEGIN

#if TT_CONFIG_MEMORY_LINK

typedef struct memory_link {
    tt_link_t link;
    tt_wire_memory_link_t *head;
    uint8_t *up;
    uint8_t *down;
} memory_link_t;

/*
 * Initialise head and rings, and return the link for tt_init(). `up` is aligned to 4 and has
 * `up_bytes`, a power of two of at least TT_MEMORY_LINK_LEAST_BYTES; `down` has `down_bytes`, a
 * power of two. After this call a host finds the head.
 */
const tt_link_t *memory_link_open(memory_link_t *self, tt_wire_memory_link_t *head, uint8_t *up,
                                  uint32_t up_bytes, uint8_t *down, uint32_t down_bytes);

/* Return true when the host has read all frames. Any context. */
bool memory_link_sent(const memory_link_t *self);

#endif

TT_C_END

#endif
