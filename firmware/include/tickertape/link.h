/*
 * tickertape/link.h - the interface of a link: it carries the bytes of the drain.
 *
 * The drain reads the room and then puts bytes: short frames whole, frames of buffers in pieces, as
 * the link has room. A link never waits. If it has no room, the drain continues in its next step. A
 * link that holds less than a buffer therefore calls tt_port_notify_drain() when it is nearly empty
 * and tt_drain_waits() returns true. A link must not trace its own interrupts, because every byte
 * sent would cause new events.
 */
#ifndef TICKERTAPE_LINK_H
#define TICKERTAPE_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/config.h"
#include "tickertape/events.h"
#include "tickertape/wire.h"

/* Largest number of kinds of records (different headers) in one packed body. A record of a further
 * kind begins another body. */
#define TT_PACK_KINDS       32u
#define TT_PACK_KIND_BYTES  6u /* in the table of a body, at most */
#define TT_PACK_TABLE_BYTES (2u + TT_PACK_KINDS * TT_PACK_KIND_BYTES)

/* Largest number of records that one step of the drain sends. */
#define TT_SLICE_RECORDS                                                                           \
    ((uint32_t)(TT_CONFIG_DRAIN_SLICE == 0 || TT_CONFIG_DRAIN_SLICE > TT_CONFIG_BUFFER_RECORDS     \
                    ? TT_CONFIG_BUFFER_RECORDS                                                     \
                    : TT_CONFIG_DRAIN_SLICE))

/*
 * Largest number of bytes in the bodies of one step. A packed record takes at most 14 bytes, less
 * than a raw one, but each body has its own header, table and frame. A body ends early only when it
 * has TT_PACK_KINDS kinds; the three with which it begins need not occur in it.
 */
#define TT_BUFFER_BODIES_BYTES                                                                     \
    ((uint32_t)sizeof(tt_wire_buffer_header_t) + TT_SLICE_RECORDS * 16u +                          \
     (TT_CONFIG_PACKING                                                                            \
          ? (TT_SLICE_RECORDS / (TT_PACK_KINDS - 3u) + 1u) * (TT_PACK_TABLE_BYTES + 64u)           \
          : 0u))

/* Bytes of a body's header, and of its table of kinds, at most. */
#define TT_BODY_BEGIN_BYTES                                                                        \
    (TT_CONFIG_PACKING ? 48u + TT_PACK_TABLE_BYTES : (uint32_t)sizeof(tt_wire_buffer_header_t))

/* Largest number of bytes on the link for a body of `body_bytes`: header, CRC, one byte of COBS for
 * every 254 bytes begun, delimiter. */
#define TT_FRAME_BYTES(body_bytes)                                                                 \
    (TT_FRAME_PLAIN_BYTES(body_bytes) + TT_FRAME_PLAIN_BYTES(body_bytes) / 254u + 2u)
#define TT_FRAME_PLAIN_BYTES(body_bytes)                                                           \
    ((uint32_t)sizeof(tt_wire_frame_header_t) + (body_bytes) + 4u)

/* Bytes of the body of STATUS, the largest frame beside those of buffers. */
#define TT_STATUS_BODY_BYTES                                                                       \
    ((uint32_t)(sizeof(tt_wire_status_t) + TT_CLASS_COUNT * sizeof(tt_wire_class_counters_t)))

/* Least room of an empty link, in bytes. With less, no record could be sent, or a trace could not
 * be ended by its last STATUS. */
#define TT_LINK_LEAST_BYTES                                                                        \
    TT_FRAME_BYTES(TT_BODY_BEGIN_BYTES > TT_STATUS_BODY_BYTES ? TT_BODY_BEGIN_BYTES                \
                                                              : TT_STATUS_BODY_BYTES)

/* The same for memory that the host reads (tt_link_t.plain), which takes whole frames only. */
#define TT_MEMORY_LINK_LEAST_BYTES                                                                 \
    TT_FRAME_BYTES(TT_BUFFER_BODIES_BYTES > TT_STATUS_BODY_BYTES ? TT_BUFFER_BODIES_BYTES          \
                                                                 : TT_STATUS_BODY_BYTES)

/* Functions and options of a link. The recorder keeps a pointer to it. */
typedef struct tt_link {
    void *context; /* passed to every function */
    /* Return how many bytes put() takes now without waiting. Called by the drain thread. */
    uint32_t (*room_bytes)(void *context);
    /* Take `count` bytes, at most the last result of room_bytes(). Called by the drain thread. */
    void (*put)(void *context, const uint8_t *bytes, uint32_t count);
    /* Copy up to `count` received bytes and return how many. Called by the drain thread. May be
     * NULL. */
    uint32_t (*get)(void *context, uint8_t *bytes, uint32_t count);
    /*
     * Lend memory of the link, so that the drain encodes a frame in the memory it is sent from. The
     * part lent is contiguous, begins `ahead` bytes after the committed bytes and lies in the room
     * that room_bytes() has reported. Store its address in *bytes and return its length in bytes, 0
     * when `ahead` is all of that room. The link keeps what the drain stores there until commit()
     * takes it, also across steps. Called by the drain thread. If the link has no memory of its
     * own, `acquire` and `commit` are NULL, and put() copies (TT_CONFIG_COPYING_LINK).
     */
    uint32_t (*acquire)(void *context, uint32_t ahead, uint8_t **bytes);
    /* Take the first `count` bytes of the memory lent, from `ahead` 0 on, to be sent. Called by the
     * drain thread. */
    void (*commit)(void *context, uint32_t count);
#if TT_CONFIG_MEMORY_LINK
    /* true: the host reads the memory that the link lends. Frames have a length in front instead of
     * CRC and COBS (protocol/SPEC.md, "Frames in memory"), and buffers are not packed. Address and
     * length of every part lent are multiples of 4. */
    bool plain;
#endif
} tt_link_t;

#endif
