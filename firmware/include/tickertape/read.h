/*
 * tickertape/read.h - streams that are read on the target itself, buffer by buffer.
 *
 * A reader replaces the drain for one stream, which is held (tt_pause_drain()): it takes the oldest
 * buffer, reads its records and gives it back. While the reader has the buffer, the writer uses the
 * others. For the host all records of the buffer count as overwritten: they will not be sent.
 * tt_ring_status_t counts the read ones, so that the law of loss holds on both sides.
 *
 * Where TT_CONFIG_READERS is 1. All CPUs then record into one ring of the stream. One reader of a
 * stream at a time. Threads. Masked (tickertape.h has the unit): tt_acquire_buffer() 129,
 * tt_release_buffer() 91, tt_buffers_in_use() 83, the others 5; functions that record take steps of
 * a ring. For a stream that does not exist, and before
 * tt_init(), each function does nothing and returns false or 0.
 */
#ifndef TICKERTAPE_READ_H
#define TICKERTAPE_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/api.h"
#include "tickertape/tickertape.h"

TT_API_BEGIN

/* A buffer in the hands of a reader. */
typedef struct tt_reading {
    const tt_record_t *records;
    uint32_t count;
    uint64_t ticks;                 /* when it was opened */
    uint64_t overwritten_count;     /* records before it that were given up since the last buffer */
    uint64_t lost_ticks;            /* when the first of them was recorded at the earliest */
    tt_wire_buffer_header_t header; /* as it would be sent */
    void *buffer;                   /* private */
} tt_reading_t;

/*
 * Take the oldest buffer of a stream, the one that is being filled if there is no other. False when
 * the stream has no record, or while the drain sends a buffer of it. Give it back before taking the
 * next one.
 */
TT_API bool tt_acquire_buffer(uint32_t stream, tt_reading_t *reading) TT_WITHOUT(false);

/* Release a buffer after its first `read_count` records were read. Nothing happens for a buffer
 * that was given back already, or that is another stream's. */
TT_API void tt_release_buffer(uint32_t stream, const tt_reading_t *reading, uint32_t read_count)
    TT_WITHOUT();

/* Buffers of the stream that hold records, and how many it may use. Any context. */
TT_API uint32_t tt_buffers_in_use(uint32_t stream) TT_WITHOUT(0);
TT_API uint32_t tt_buffers(uint32_t stream) TT_WITHOUT(0);

/* When the stream stopped because it was full (policy UNTIL_FULL), 64-bit time. Threads. */
TT_API uint64_t tt_full_ticks(uint32_t stream) TT_WITHOUT(0);

/* True when the stream has the event type selected. Any context. */
TT_API bool tt_selected(uint32_t stream, uint32_t event_class, uint32_t event) TT_WITHOUT(false);

/*
 * Let a stream that was stopped by tt_stop() run, or stop again, while no event type is routed to
 * it: it takes only records that are addressed to it (tt_record_payload() and its number), before
 * tt_start_without_state() opens the routes, or after tt_stop() has closed them. Any context.
 */
TT_API void tt_run_closed(uint32_t stream, bool run) TT_WITHOUT();

/*
 * Record a simple event of this header into a stream that was stopped by tt_stop(): after all other
 * records, or dropped where the ring is full. Masked: one step of the ring at a time. Any context.
 */
TT_API void tt_record_closed(uint32_t stream, uint32_t header, uint32_t data0, uint32_t data1)
    TT_WITHOUT();

/* True while the stream records. Its routes may still lead to it when it has stopped. Any context.
 */
TT_API bool tt_is_running(uint32_t stream) TT_WITHOUT(false);

/* Record the state of all objects, as tt_start() does, into a running stream. */
TT_API void tt_record_state(uint32_t stream) TT_WITHOUT();

TT_API_END

#endif
