/*
 * Encode events of tracks as packets of Perfetto's trace format. The bytes equal those of the
 * library that tickertape/formats/timeline/perfetto.py uses for all other packets: every number is
 * a varint of the least length. Fields: perfetto/trace/trace_packet.proto,
 * track_event/track_event.proto.
 */
#ifndef TICKERTAPE_NATIVE_PACKETS_H
#define TICKERTAPE_NATIVE_PACKETS_H

#include <string.h>

#include "interface.h"

/* First bytes of all packets of one time, up to the length of the event, with the lengths of a
 * short packet. Stored as words, the lowest byte first, because a processor stalls when it loads
 * several bytes at once that were just stored one by one. */
typedef struct tt_packet_head {
    uint64_t words[2];
    uint64_t size;
    uint32_t groups; /* groups of seven bits of its time; 0 before the first packet */
} tt_packet_head_t;

/* Field numbers and wire types: number << 3 | type, as a varint. */
enum {
    TT_FIELD_PACKET = 0x0a,    /* Trace.packet */
    TT_FIELD_TIME = 0x40,      /* TracePacket.timestamp */
    TT_FIELD_SEQUENCE = 0x50,  /* TracePacket.trusted_packet_sequence_id */
    TT_FIELD_EVENT = 0x5a,     /* TracePacket.track_event */
    TT_FIELD_FLAGS = 0x68,     /* TracePacket.sequence_flags */
    TT_FIELD_TYPE = 0x48,      /* TrackEvent.type */
    TT_FIELD_NAME = 0x50,      /* TrackEvent.name_iid */
    TT_FIELD_TRACK = 0x58,     /* TrackEvent.track_uuid */
    TT_FIELD_FLOW = 0x2f9,     /* TrackEvent.flow_ids, as two bytes */
    TT_FIELD_FLOW_ENDS = 0x381 /* TrackEvent.terminating_flow_ids, as two bytes */
};

static inline uint8_t *tt_put_varint(uint8_t *at, uint64_t value)
{
    while (value > 0x7fu) {
        *at++ = (uint8_t)(value | 0x80u);
        value >>= 7u;
    }
    *at++ = (uint8_t)value;
    return at;
}

/* Bytes of the event, and of the event and the flags, if word and track have one byte each. */
enum {
    TT_SHORT_EVENT = 6,
    TT_SHORT_REST = 8
};

/* Spread 56 bits over eight bytes, seven bits each, the lowest first. */
static inline uint64_t tt_spread(uint64_t value)
{
    value = (value & UINT64_C(0x000000000fffffff)) | (value & UINT64_C(0x00fffffff0000000)) << 4;
    value = (value & UINT64_C(0x00003fff00003fff)) | (value & UINT64_C(0x0fffc0000fffc000)) << 2;
    return (value & UINT64_C(0x007f007f007f007f)) | (value & UINT64_C(0x3f803f803f803f80)) << 1;
}

/* Store a word with the lowest byte first, on every machine. */
static inline void tt_put_word(uint8_t *at, uint64_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(at, &word, sizeof word);
#else
    for (uint32_t i = 0; i < sizeof word; i++) {
        at[i] = (uint8_t)(word >> 8u * i);
    }
#endif
}

static inline void tt_packet_begin(tt_packet_head_t *head, int64_t time_ns)
{
    const uint64_t before = (uint64_t)TT_FIELD_TIME << 16u | TT_FIELD_PACKET;
    const uint64_t behind = (uint64_t)TT_SHORT_EVENT << 24u | (uint64_t)TT_FIELD_EVENT << 16u |
                            1u << 8u | TT_FIELD_SEQUENCE;
    uint64_t value = (uint64_t)time_ns;
    /* Times grow, so a time usually has as many groups as the previous one. */
    uint32_t groups = head->groups;
    if (groups == 0u || value >> 7u * (groups - 1u) == 0u) {
        groups = 1;
    }
    while (groups < 9u && value >> 7u * groups != 0u) {
        groups++;
    }
    head->groups = groups;
    /* All groups except the last have the continuation bit; the ninth group is in words[1]. */
    uint64_t more = groups == 1u ? 0u : UINT64_C(0x8080808080808080) >> 8u * (9u - groups);
    uint64_t varint = tt_spread(value) | more;
    uint32_t bits = 8u * (3u + groups);
    head->size = 7u + groups;
    head->words[0] = before | (head->size - 2u + TT_SHORT_REST) << 8u | varint << 24u;
    head->words[1] = varint >> 40u | value >> 56u << 24u;
    if (bits < 64u) {
        head->words[0] |= behind << bits;
        head->words[1] |= behind >> (64u - bits);
    } else {
        head->words[1] |= behind << (bits - 64u);
    }
}

/* Put the event of a packet and the flags after it; return the place after the packet. */
static inline uint8_t *tt_packet_put_long(uint8_t *event, uint8_t type, int64_t track, int64_t word,
                                          int64_t flow)
{
    event[0] = TT_FIELD_TYPE;
    event[1] = type;
    event[2] = TT_FIELD_NAME;
    uint8_t *at = tt_put_varint(event + 3, (uint64_t)word);
    *at++ = TT_FIELD_TRACK;
    at = tt_put_varint(at, (uint64_t)track);
    if (flow != 0) {
        uint64_t number = flow < 0 ? 0u - (uint64_t)flow : (uint64_t)flow;
        uint32_t field = flow < 0 ? TT_FIELD_FLOW_ENDS : TT_FIELD_FLOW;
        *at++ = (uint8_t)field;
        *at++ = (uint8_t)(field >> 8u);
        for (uint32_t i = 0; i < sizeof number; i++) {
            *at++ = (uint8_t)(number >> 8u * i);
        }
    }
    event[-1] = (uint8_t)(at - event);
    *at++ = TT_FIELD_FLAGS;
    *at++ = 2;
    return at;
}

/* Put one packet; return the place after it. */
static inline uint8_t *tt_packet_put(uint8_t *packet, const tt_packet_head_t *head, uint8_t phase,
                                     int64_t track, int64_t word, int64_t flow)
{
    /* TrackEvent.Type, by phase: SLICE_END, SLICE_BEGIN, INSTANT */
    static const uint8_t types[TT_PHASES] = {2, 1, 3};
    tt_put_word(packet, head->words[0]);
    tt_put_word(packet + 8, head->words[1]);
    uint8_t *event = packet + head->size;
    if ((uint64_t)(word | track) > 0x7fu || flow != 0) {
        uint8_t *end = tt_packet_put_long(event, types[phase], track, word, flow);
        packet[1] = (uint8_t)(end - packet - 2);
        return end;
    }
    const uint64_t fixed = (uint64_t)2u << 56u | (uint64_t)TT_FIELD_FLAGS << 48u |
                           (uint64_t)TT_FIELD_TRACK << 32u | TT_FIELD_NAME << 16u | TT_FIELD_TYPE;
    tt_put_word(event, fixed | (uint64_t)track << 40u | (uint64_t)word << 24u |
                           (uint64_t)types[phase] << 8u);
    return event + TT_SHORT_REST;
}

#endif
