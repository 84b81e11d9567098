/* Messages of one form: what tickertape/export/protobuf_rows.py fills in, byte for byte. */
#ifndef TICKERTAPE_NATIVE_PACKETS_H
#define TICKERTAPE_NATIVE_PACKETS_H

#include <stdint.h>

#define TT_PACKET_MOST_BYTES  112u
#define TT_PACKET_MOST_PLACES 4u
#define TT_PACKET_MOST_GROUPS 16u
#define TT_PACKET_MOST_PARTS  8u
/* Bytes behind the last message that are written to as well. */
#define TT_PACKET_SPARE       112u

/* A place for a number: its first byte in the message, and how many groups of seven bits it has. */
typedef struct tt_packet_place {
    const int64_t *values; /* one for each message, not negative */
    uint64_t begin;        /* ascending */
    uint64_t groups;
} tt_packet_place_t;

typedef struct tt_packet_job {
    const uint8_t *message;
    uint64_t size; /* of a message, in bytes */
    uint64_t count;
    const tt_packet_place_t *places;
    uint64_t place_count;
    const uint8_t *kinds; /* of each message, an index into `kind_bytes` */
    const uint8_t *kind_bytes;
    uint64_t kind_count;
    uint64_t kind_at; /* where that byte goes */
    uint8_t *out;     /* count * size bytes, and TT_PACKET_SPARE more */
} tt_packet_job_t;

/* 0, or -1 when a message is too long or has too many places. */
int tt_packets_fill(const tt_packet_job_t *job);

#endif
