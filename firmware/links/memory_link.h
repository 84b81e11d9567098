/*
 * links/memory_link.h - a trace link in memory that a debug probe or another core reads.
 *
 *     target: frames --> up ring --> host            host: commands --> down ring --> target
 *
 * A head (tt_wire_memory_link_t; protocol/SPEC.md, "Frames in memory") describes both rings. Each
 * side writes only its own counters. The link never waits: when the host reads too slowly, the up
 * ring has no room, and the recorder loses records by its policy and counts them.
 *
 * Head and rings have to lie where the reader sees what the target writes: memory without a write
 * cache, or one that both share. The recorder is built with TT_CONFIG_MEMORY_LINK=1.
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
 * Make empty rings and return the link. `up` has `up_bytes`, a power of two of at least
 * TT_MEMORY_LINK_LEAST_BYTES, and lies at a multiple of 4; `down` has `down_bytes`, a power of two.
 * Before tt_init(); a host that waits for the head finds it from then on.
 */
const tt_link_t *memory_link_open(memory_link_t *self, tt_wire_memory_link_t *head, uint8_t *up,
                                  uint32_t up_bytes, uint8_t *down, uint32_t down_bytes);

/* True when the host has read all frames. Any context. */
bool memory_link_sent(const memory_link_t *self);

#endif

TT_C_END

#endif
