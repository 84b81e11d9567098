/*
 * Link and host of a history: the bytes sent, and commands. The recorder must not execute copies,
 * late commands and damaged ones. Frames, COBS and CRC are implemented from protocol/SPEC.md,
 * without code of the recorder. For history_driver.c only.
 */
#ifndef HISTORY_HOST_H
#define HISTORY_HOST_H

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "history_events.h"

#define MOST_BYTES       (4u << 20)
#define DRAIN_STEPS      20000u
#define FRAME_MOST_BYTES 128u

static uint8_t link_bytes[MOST_BYTES];
static uint32_t link_count;
static uint32_t link_room;

typedef struct host_frame {
    uint8_t bytes[FRAME_MOST_BYTES];
    uint32_t count;
} host_frame_t;

static uint8_t host_bytes[8u * FRAME_MOST_BYTES];
static uint32_t host_count;
static uint32_t host_taken;
static uint32_t host_command_id;
static host_frame_t host_last;

static uint32_t host_get(void *context, uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)count;
    if (host_taken == host_count) {
        return 0;
    }
    *bytes = host_bytes[host_taken++];
    return 1;
}

static uint32_t host_crc(const uint8_t *bytes, uint32_t count)
{
    uint32_t crc = UINT32_MAX;
    for (uint32_t i = 0; i < 8u * count; i++) {
        uint32_t bit = (crc ^ (uint32_t)(bytes[i / 8u] >> i % 8u)) & 1u;
        crc = crc >> 1 ^ (bit != 0u ? 0xedb88320u : 0u);
    }
    return ~crc;
}

/* Encode less than 254 bytes by COBS: each zero becomes the distance to the next one. */
static void host_encode(host_frame_t *to, const uint8_t *plain, uint32_t count)
{
    uint32_t zero = 0;
    for (uint32_t i = 0; i <= count; i++) {
        if (i == count || plain[i] == 0u) {
            to->bytes[zero] = (uint8_t)(i + 1u - zero);
            zero = i + 1u;
        } else {
            to->bytes[i + 1u] = plain[i];
        }
    }
    to->bytes[count + 1u] = 0;
    to->count = count + 2u;
}

static void host_send(const host_frame_t *frame)
{
    assert(host_count + frame->count <= sizeof host_bytes);
    memcpy(host_bytes + host_count, frame->bytes, frame->count);
    host_count += frame->count;
}

static host_frame_t host_frame(uint8_t command, uint32_t stream, const uint32_t arguments[4],
                               const void *payload, uint32_t payload_bytes)
{
    uint8_t plain[FRAME_MOST_BYTES - 2u] = {5}; /* COMMAND */
    uint32_t count = 8;
    host_frame_t frame;
    host_command_id++;
    assert(8u + 24u + payload_bytes + 4u <= sizeof plain);
    memcpy(plain + count, &host_command_id, 4);
    plain[count + 4u] = command;
    plain[count + 5u] = (uint8_t)stream;
    memcpy(plain + count + 8u, arguments, 16);
    count += 24u;
    if (payload_bytes != 0u) {
        memcpy(plain + count, payload, payload_bytes);
    }
    count += payload_bytes;
    uint32_t crc = host_crc(plain, count);
    memcpy(plain + count, &crc, 4);
    host_encode(&frame, plain, count + 4u);
    return frame;
}

/* Return the frame with one byte changed, but not its end. */
static host_frame_t host_damaged(const host_frame_t *frame, uint32_t place, uint32_t change)
{
    host_frame_t broken = *frame;
    broken.bytes[place % (frame->count - 1u)] ^= (uint8_t)(1u + change % 255u);
    return broken;
}

static uint32_t room_bytes(void *context)
{
    (void)context;
    return link_room;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    assert(count <= link_room && link_count + count <= MOST_BYTES);
    link_room -= count;
    memcpy(link_bytes + link_count, bytes, count);
    link_count += count;
}

/* Send a command to the recorder, at times after a damaged copy, or before a second copy and a copy
 * of the previous command. The drain reads all of it. */
static void command(uint8_t number, uint32_t stream, const uint32_t arguments[4],
                    const void *payload, uint32_t payload_bytes)
{
    host_frame_t late = host_last;
    host_last = host_frame(number, stream, arguments, payload, payload_bytes);
    host_frame_t broken = host_damaged(&host_last, random_below(255), random_below(255));
    host_count = 0;
    host_taken = 0;
    if (one_in(4)) {
        host_send(&broken);
    }
    host_send(&host_last);
    if (one_in(4)) {
        host_send(&host_last);
    }
    if (one_in(4)) {
        host_send(&late);
    }
    for (uint32_t i = 0; i < DRAIN_STEPS && host_taken < host_count; i++) {
        link_room = 100000u;
        (void)tt_drain_step();
    }
    assert(host_taken == host_count);
}

static void simple_command(uint8_t number, uint32_t stream, uint32_t argument0, uint32_t argument1)
{
    const uint32_t arguments[4] = {argument0, argument1};
    command(number, stream, arguments, NULL, 0);
}

/* Insert an event by a command: simple, or of several records. */
static void insert(void)
{
    pieces_t pieces;
    emission_t emission;
    make_pieces(&pieces, TT_RECORD_HOST_MASK);
    if (one_in(2)) {
        const uint32_t arguments[4] = {TT_CLASS_USER, pieces.event};
        emission_begin(&emission, pieces.records, pieces.count);
        command(TT_COMMAND_INSERT_BYTES, 0, arguments, pieces.words, pieces.bytes);
    } else {
        tt_record_t *record = &pieces.records[0];
        const uint32_t arguments[4] = {TT_CLASS_USER, pieces.event, record->data[0],
                                       record->data[1]};
        record->header &= ~TT_RECORD_STRUCT_MASK;
        emission_begin(&emission, record, 1);
        command(TT_COMMAND_INSERT, 0, arguments, NULL, 0);
    }
    emission_end(&emission);
}

#endif
