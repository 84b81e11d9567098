/*
 * The truth of a history: a row for each record offered to a ring, in this order, and one for each
 * record that waits when a boot ends. Uses the memory of the rings, not the recorder's counters.
 * For history_driver.c only.
 */
#ifndef HISTORY_TRUTH_H
#define HISTORY_TRUTH_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "ring.h"
#include "tickertape/port.h"

#define RING_RECORDS (TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS)
#define MOST_ROWS    100000u

enum row_kind {
    ROW_OFFERED,
    ROW_WAITS,
    ROW_BOOT,
    ROW_READ
};

typedef struct row {
    uint8_t kind;
    uint8_t stream;
    uint8_t cpu;
    uint8_t opening; /* ROW_OFFERED: opening_of() of its buffer, 1 to 255; 0: in no buffer */
    uint32_t header;
    uint32_t data[2]; /* unique in the ring; ROW_BOOT: boot id and bytes on the link so far */
    uint64_t time;
} row_t;

static row_t rows[MOST_ROWS];
static uint32_t row_count;
static row_t *add_row(enum row_kind kind, uint32_t stream, uint32_t cpu)
{
    assert(row_count < MOST_ROWS);
    row_t *row = &rows[row_count++];
    *row = (row_t){.kind = (uint8_t)kind, .stream = (uint8_t)stream, .cpu = (uint8_t)cpu};
    return row;
}

/* Return the place of a record in the memory of a ring of `cpu`, NULL if it is not there. */
static const tt_record_t *find(const tt_ring_t *ring, uint32_t cpu, const tt_record_t *record)
{
    uint32_t header = record->header | cpu << TT_RECORD_CPU_FIRST_BIT;
    for (uint32_t i = 0; i < RING_RECORDS; i++) {
        const tt_record_t *slot = &ring->records[i];
        if (slot->data[0] == record->data[0] && slot->data[1] == record->data[1] &&
            slot->header == header) {
            return slot;
        }
    }
    return NULL;
}

/* Return a number, 1 to 255, that differs between consecutively opened buffers. */
static uint8_t opening_of(const tt_ring_t *ring, const tt_record_t *record)
{
    uint32_t index = (uint32_t)(record - ring->records) / TT_CONFIG_BUFFER_RECORDS;
    return (uint8_t)(1u + ring->buffers[index].sequence % 255u);
}

/* Add the records of full and open buffers, which wait when a boot ends. */
static void add_waiting(uint32_t stream, uint32_t cpu)
{
    const tt_ring_t *ring = &tt_rings[stream][cpu];
    for (uint32_t i = 0; i < TT_CONFIG_BUFFERS; i++) {
        const tt_buffer_t *buffer = &ring->buffers[i];
        const tt_record_t *records = tt_ring_records(ring, buffer);
        uint32_t state = tt_load(&buffer->tag) & 3u;
        uint32_t count = 0;
        if (state == TT_BUFFER_FULL && buffer->count <= TT_CONFIG_BUFFER_RECORDS) {
            count = buffer->count;
        } else if (state == TT_BUFFER_FILLING && records == ring->base) {
            count = (uint32_t)(ring->cursor - ring->base);
        }
        for (uint32_t k = 0; k < count; k++) {
            uint32_t slot = k;
#if TT_CONFIG_FINALIZE
            slot = (k + (state == TT_BUFFER_FULL ? buffer->first_slot : 0u)) %
                   TT_CONFIG_BUFFER_RECORDS;
#endif
            row_t *row = add_row(ROW_WAITS, stream, cpu);
            row->data[0] = records[slot].data[0];
            row->data[1] = records[slot].data[1];
        }
    }
}

#endif
