/*
 * tickertape/read.h - read a stream on the target itself, buffer by buffer.
 *
 * A reader replaces the drain for one stream, which is held (tt_pause_drain()): it takes the oldest
 * buffer, reads its records and releases it. While the reader has the buffer, the writer uses the
 * others. For the host, all records of the buffer count as overwritten, because they are not sent.
 * tt_ring_status_t counts the read ones, so that the law of loss holds on both sides.
 *
 * Needs TT_CONFIG_READERS 1: all CPUs then record into one ring of the stream. One reader of a
 * stream at a time. Threads, unless stated. Masked (tickertape.h has the unit): tt_acquire_buffer()
 * 129, tt_release_buffer() 91, tt_buffers_in_use() 83, the others 5; functions that record mask for
 * one step of a ring at a time. For a stream that does not exist, and before tt_init(), each
 * function does nothing and returns false or 0.
 */
#ifndef TICKERTAPE_READ_H
#define TICKERTAPE_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/api.h"
#include "tickertape/tickertape.h"

TT_API_BEGIN

/* A buffer that a reader has taken. */
typedef struct tt_reading {
    const tt_record_t *records;
    uint32_t count;
    uint64_t ticks;             /* 64-bit time at which it was opened */
    uint64_t overwritten_count; /* records overwritten between the last buffer read and this one */
    uint64_t lost_ticks;        /* 64-bit time, not later than the first of them */
    tt_wire_buffer_header_t header; /* the header with which it would be sent */
    void *buffer;                   /* private */
} tt_reading_t;

/*
 * Take the oldest buffer of a stream, or the one being filled if there is no other. Returns false
 * when the stream has no record, or while the drain sends one of its buffers. Release the buffer
 * before taking the next one.
 */
TT_API bool tt_acquire_buffer(uint32_t stream, tt_reading_t *reading) TT_WITHOUT(false);

/* Release a buffer after its first `read_count` records were read. Does nothing for a buffer that
 * was already released or belongs to another stream. */
TT_API void tt_release_buffer(uint32_t stream, const tt_reading_t *reading, uint32_t read_count)
    TT_WITHOUT();

/* Return how many buffers of the stream hold records, and how many it may use (tt_set_buffers()).
 * Any context. */
TT_API uint32_t tt_buffers_in_use(uint32_t stream) TT_WITHOUT(0);
TT_API uint32_t tt_buffers(uint32_t stream) TT_WITHOUT(0);

/* Return the 64-bit time at which the stream stopped because it was full (policy UNTIL_FULL). */
TT_API uint64_t tt_full_ticks(uint32_t stream) TT_WITHOUT(0);

/*
 * Let a stream that tt_stop() has stopped run (`run` true), or stop it again, while no event type
 * is routed to it. It then takes only records that are addressed to it (tt_record_payload() with
 * its bit as the route): before tt_start_without_state() sets the routes, or after tt_stop() has
 * cleared them. Any context.
 */
TT_API void tt_run_closed(uint32_t stream, bool run) TT_WITHOUT();

/*
 * Record a simple event with this header in a stream that tt_stop() has stopped, after all its
 * other records. The record is dropped if the ring is full. Masked: one step of the ring at a time.
 * Any context.
 */
TT_API void tt_record_closed(uint32_t stream, uint32_t header, uint32_t data0, uint32_t data1)
    TT_WITHOUT();

/* Return true while the stream records. After it has stopped, routes may still lead to it. Any
 * context. */
TT_API bool tt_is_running(uint32_t stream) TT_WITHOUT(false);

/* Record the state of all objects in a running stream, as tt_start() does. */
TT_API void tt_record_state(uint32_t stream) TT_WITHOUT();

TT_API_END

#endif
