#include "packets.h"

#include <stdbool.h>
#include <string.h>

#define GROUP_BITS  7u
#define WORD_GROUPS 8u
#define PIECE       16u
/* Of messages with a time, a track and a name, each of at most eight groups. */
#define USUAL_PARTS 3u
#define USUAL_BYTES 48u
#define MORE        UINT64_C(0x8080808080808080)

/* 56 bits as eight groups of seven, the lowest first, each in a byte of its own. */
static uint64_t spread(uint64_t value)
{
    value = (value & UINT64_C(0x000000000fffffff)) | (value & UINT64_C(0x00fffffff0000000)) << 4;
    value = (value & UINT64_C(0x00003fff00003fff)) | (value & UINT64_C(0x0fffc0000fffc000)) << 2;
    return (value & UINT64_C(0x007f007f007f007f)) | (value & UINT64_C(0x3f803f803f803f80)) << 1;
}

/* The lowest byte first, on every machine; a compiler makes one store of it where it can. */
static void put_word(uint8_t *at, uint64_t word)
{
    for (uint32_t i = 0; i < WORD_GROUPS; i++) {
        at[i] = (uint8_t)(word >> 8u * i);
    }
}

static uint64_t get_word(const uint8_t *at)
{
    uint64_t word = 0;
    for (uint32_t i = 0; i < WORD_GROUPS; i++) {
        word |= (uint64_t)at[i] << 8u * i;
    }
    return word;
}

/* Up to eight groups of one place. */
typedef struct part {
    const int64_t *values;
    uint64_t begin; /* of its first byte in the message */
    uint32_t shift; /* of its first group */
    uint64_t mask;  /* the bytes that it fills */
    uint64_t fixed; /* the bits that say that more follow, and the bytes of the message behind */
} part_t;

static uint32_t find_parts(const tt_packet_job_t *job, const uint8_t *message, part_t *parts)
{
    uint32_t count = 0;
    for (uint64_t k = 0; k < job->place_count; k++) {
        const tt_packet_place_t *place = &job->places[k];
        for (uint64_t done = 0; done < place->groups; done += WORD_GROUPS) {
            uint64_t groups = place->groups - done;
            groups = groups < WORD_GROUPS ? groups : WORD_GROUPS;
            bool is_last = done + groups == place->groups;
            uint64_t mask = ~UINT64_C(0) >> 8u * (WORD_GROUPS - groups);
            uint64_t more = is_last ? (groups == 1u ? 0u : (MORE & mask >> 8u)) : MORE & mask;
            parts[count++] =
                (part_t){.values = place->values,
                         .begin = place->begin + done,
                         .shift = (uint32_t)(GROUP_BITS * done),
                         .mask = mask,
                         .fixed = more | (get_word(message + place->begin + done) & ~mask)};
        }
    }
    return count;
}

static inline void put_part(uint8_t *at, const part_t *part, uint64_t row)
{
    uint64_t value = (uint64_t)part->values[row] >> part->shift;
    put_word(at + part->begin, (spread(value) & part->mask) | part->fixed);
}

static void fill(const tt_packet_job_t *job, const uint8_t *message, const part_t *parts,
                 uint32_t part_count)
{
    uint8_t *at = job->out;
    for (uint64_t i = 0; i < job->count; i++) {
        memcpy(at, message, TT_PACKET_MOST_BYTES);
        /* Each part writes over what is behind it, which is fixed or comes next. */
        for (uint32_t k = 0; k < part_count; k++) {
            put_part(at, &parts[k], i);
        }
        at[job->kind_at] = job->kind_bytes[job->kinds[i]];
        at += job->size;
    }
}

/* The same for messages as they come by the million; copies, which no store can change. */
static void fill_usual(const tt_packet_job_t *job, const uint8_t *message, const part_t *parts)
{
    const part_t first = parts[0];
    const part_t second = parts[1];
    const part_t third = parts[2];
    const uint8_t *kinds = job->kinds;
    const uint64_t kind_at = job->kind_at;
    const uint64_t size = job->size;
    const uint64_t count = job->count;
    uint8_t kind_bytes[UINT8_MAX + 1u];
    uint8_t begin[USUAL_BYTES];
    memcpy(begin, message, sizeof begin);
    memcpy(kind_bytes, job->kind_bytes, job->kind_count);
    uint8_t *at = job->out;
    for (uint64_t i = 0; i < count; i++) {
        memcpy(at, begin, sizeof begin);
        put_part(at, &first, i);
        put_part(at, &second, i);
        put_part(at, &third, i);
        at[kind_at] = kind_bytes[kinds[i]];
        at += size;
    }
}

int tt_packets_fill(const tt_packet_job_t *job)
{
    uint8_t message[TT_PACKET_MOST_BYTES + PIECE] = {0};
    part_t parts[TT_PACKET_MOST_PARTS];
    if (job->size > TT_PACKET_MOST_BYTES || job->place_count > TT_PACKET_MOST_PLACES) {
        return -1;
    }
    for (uint64_t k = 0; k < job->place_count; k++) {
        if (job->places[k].groups > TT_PACKET_MOST_GROUPS) {
            return -1;
        }
    }
    memcpy(message, job->message, job->size);
    uint32_t part_count = find_parts(job, message, parts);
    if (part_count == USUAL_PARTS && job->size <= USUAL_BYTES && job->kind_count <= UINT8_MAX) {
        fill_usual(job, message, parts);
    } else {
        fill(job, message, parts, part_count);
    }
    return 0;
}
