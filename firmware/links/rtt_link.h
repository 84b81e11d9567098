/*
 * links/rtt_link.h - a trace link over RTT: two rings in memory, and a control block through which
 * the software of a debug probe finds them (J-Link, OpenOCD, pyOCD, probe-rs).
 *
 *     target: frames --> up ring of channel 1 --> host: commands --> down ring of channel 1
 *
 * The layout follows SEGGER's published convention. Each side writes only its own offset of a ring;
 * a ring of n bytes holds n - 1. Channel 0 is reserved for a terminal: it has no memory.
 *
 * The link never waits ("no block") and never skips a frame: without room the drain continues
 * later, the recorder loses records according to its policy, and its receipts count them.
 *
 * The control block and the rings must lie in memory where the probe sees writes of the target:
 * without a write cache. No constant contains the text by which hosts find the block, so that they
 * find only the block.
 */
#ifndef LINKS_RTT_LINK_H
#define LINKS_RTT_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/link.h"

TT_C_BEGIN

#define RTT_CHANNELS    2u
#define RTT_TRACE       1u /* the channel with the trace */
#define RTT_NAME_LENGTH 16u

/* A ring; the writer is the target for `up`, the host for `down`. */
typedef struct rtt_channel {
    const char *name;
    uint8_t *bytes;
    uint32_t size_bytes;
    volatile uint32_t write; /* offset of the next byte to write; changed by the writer */
    volatile uint32_t read;  /* offset of the next byte to read; changed by the reader */
    uint32_t flags;          /* 0: the writer never waits */
} rtt_channel_t;

/* The control block that hosts search for in memory. */
typedef struct rtt_control {
    volatile char name[RTT_NAME_LENGTH];
    int32_t up_count;
    int32_t down_count;
    rtt_channel_t up[RTT_CHANNELS];
    rtt_channel_t down[RTT_CHANNELS];
} rtt_control_t;

typedef struct rtt_link {
    tt_link_t link;
    rtt_control_t *control;
} rtt_link_t;

/*
 * Initialise block and rings, and return the link for tt_init(). `up` has `up_bytes`, more than
 * TT_LINK_LEAST_BYTES; `down` has `down_bytes`, at least 2. The name is stored last, so that a host
 * finds a complete block only.
 */
const tt_link_t *rtt_link_open(rtt_link_t *self, rtt_control_t *control, uint8_t *up,
                               uint32_t up_bytes, uint8_t *down, uint32_t down_bytes);

/* Return true when the host has read all frames. Any context. */
bool rtt_link_sent(const rtt_link_t *self);

TT_C_END

#endif
