/*
 * tickertape/link.h - the interface of a link: it carries the bytes of the drain.
 *
 * The drain asks for room and then puts bytes: short frames whole, frames of buffers in pieces, as
 * the link has room. A link never waits. If it has no room, the drain continues at its next call; a
 * link that holds less than a buffer therefore calls tt_port_notify_drain() when it is nearly empty
 * and tt_drain_waits() is true. A link must not trace its own interrupts, because every byte sent
 * would cause new events.
 */
#ifndef TICKERTAPE_LINK_H
#define TICKERTAPE_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/config.h"
#include "tickertape/events.h"
#include "tickertape/wire.h"

/* Kinds of records (different headers) in one packed body; with more of them, one body ends and
 * another begins. */
#define TT_PACK_KINDS       32u
#define TT_PACK_KIND_BYTES  6u /* in the table of a body, at most */
#define TT_PACK_TABLE_BYTES (2u + TT_PACK_KINDS * TT_PACK_KIND_BYTES)

/* Records that one step of the drain sends at most. */
#define TT_SLICE_RECORDS                                                                           \
    ((uint32_t)(TT_CONFIG_DRAIN_SLICE == 0 || TT_CONFIG_DRAIN_SLICE > TT_CONFIG_BUFFER_RECORDS     \
                    ? TT_CONFIG_BUFFER_RECORDS                                                     \
                    : TT_CONFIG_DRAIN_SLICE))

/*
 * Bytes of the bodies of one step at most. A packed record takes 14 bytes at most, less than a
 * raw one, but each body has a header, a table and a frame of its own. A body ends early only when
 * it has all kinds of records that it can; it began with three of them, which need not occur.
 */
#define TT_BUFFER_BODIES_BYTES                                                                     \
    ((uint32_t)sizeof(tt_wire_buffer_header_t) + TT_SLICE_RECORDS * 16u +                          \
     (TT_CONFIG_PACKING                                                                            \
          ? (TT_SLICE_RECORDS / (TT_PACK_KINDS - 3u) + 1u) * (TT_PACK_TABLE_BYTES + 64u)           \
          : 0u))

/* Bytes of a body's header, and of its table of kinds, at most. */
#define TT_BODY_BEGIN_BYTES                                                                        \
    (TT_CONFIG_PACKING ? 48u + TT_PACK_TABLE_BYTES : (uint32_t)sizeof(tt_wire_buffer_header_t))

/* Most bytes on the link for a body of so many: header, CRC, an overhead of COBS for every 254
 * bytes begun, delimiter. */
#define TT_FRAME_BYTES(body_bytes)                                                                 \
    (TT_FRAME_PLAIN_BYTES(body_bytes) + TT_FRAME_PLAIN_BYTES(body_bytes) / 254u + 2u)
#define TT_FRAME_PLAIN_BYTES(body_bytes)                                                           \
    ((uint32_t)sizeof(tt_wire_frame_header_t) + (body_bytes) + 4u)

/* Bytes of the body of STATUS, the largest frame beside those of buffers. */
#define TT_STATUS_BODY_BYTES                                                                       \
    ((uint32_t)(sizeof(tt_wire_status_t) + TT_CLASS_COUNT * sizeof(tt_wire_class_counters_t)))

/* Room that a link needs when nothing waits in it: with less it would never carry any record, or
 * never come to an end. */
#define TT_LINK_LEAST_BYTES                                                                        \
    TT_FRAME_BYTES(TT_BODY_BEGIN_BYTES > TT_STATUS_BODY_BYTES ? TT_BODY_BEGIN_BYTES                \
                                                              : TT_STATUS_BODY_BYTES)

/* The same for memory that the host reads (tt_link_t.plain): frames go there whole. */
#define TT_MEMORY_LINK_LEAST_BYTES                                                                 \
    TT_FRAME_BYTES(TT_BUFFER_BODIES_BYTES > TT_STATUS_BODY_BYTES ? TT_BUFFER_BODIES_BYTES          \
                                                                 : TT_STATUS_BODY_BYTES)

typedef struct tt_link {
    void *context; /* handed back in every call */
    /* Bytes that put() takes now without waiting. Called by the drain thread. */
    uint32_t (*room_bytes)(void *context);
    /* Take `count` bytes, at most the last result of room_bytes(). Called by the drain thread. */
    void (*put)(void *context, const uint8_t *bytes, uint32_t count);
    /* Copy up to `count` received bytes and return how many. Called by the drain thread. May be
     * NULL. */
    uint32_t (*get)(void *context, uint8_t *bytes, uint32_t count);
    /*
     * Lend memory, so that a frame is encoded where it is sent from: the contiguous part, `ahead`
     * bytes after those taken so far, of the room that room_bytes() has reported. Returns its
     * length, and its address in *bytes; 0 when `ahead` is all of that room. What was stored there
     * stays until commit() takes it, also when the drain comes back later. Called by the drain
     * thread. NULL, and `commit` as well: the link has no memory of its own; put() copies
     * (TT_CONFIG_COPYING_LINK).
     */
    uint32_t (*acquire)(void *context, uint32_t ahead, uint8_t **bytes);
    /* Take `count` bytes, stored in the memory lent from `ahead` 0 on. Called by the drain thread.
     */
    void (*commit)(void *context, uint32_t count);
#if TT_CONFIG_MEMORY_LINK
    /* true: the link is memory that the host reads, and lends it. Frames go there as they are, with
     * a head in place of CRC and COBS (protocol/SPEC.md, "Frames in memory"), buffers unpacked.
     * Every part lent begins at a multiple of 4 and has a multiple of 4 bytes. */
    bool plain;
#endif
} tt_link_t;

#endif
