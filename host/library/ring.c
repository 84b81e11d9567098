#include "ring.h"

#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "record_parts.h"
#include "tickertape/events.h"

#define MOVED_CODE                                                                                 \
    (TT_RECORD_FIELD(CLASS, TT_CLASS_TRACER) | TT_RECORD_FIELD(EVENT, TT_TRACER_MOVED))

/* The buffers of one chunk with new records, as arrays for the assembler. */
typedef struct fresh {
    tt_wire_buffer_header_t *buffers;
    uint64_t *start;
    uint64_t *first_ordinal;
    uint64_t *ticks;
    uint64_t *ticks_before;
    uint32_t *count;
    uint8_t *gap;
    uint8_t *has_ticks_before;
    uint8_t *copy; /* copy of the records, if they are not adjacent */
    const uint8_t *records;
    uint64_t buffer_count;
    uint64_t record_count;
} fresh_t;

bool ring_begin(ring_t *ring, const ring_place_t *place, uint64_t chunk)
{
    ring->place = *place;
    ring->chunk = chunk;
    ring->assembler = tt_assembler_new();
    return ring->assembler != NULL;
}

void ring_end(ring_t *ring)
{
    tt_assembler_free(ring->assembler);
    tt_columns_free(&ring->columns);
    free(ring->gaps);
    memset(ring, 0, sizeof *ring);
}

static void fresh_free(fresh_t *fresh)
{
    free(fresh->buffers);
    free(fresh->start);
    free(fresh->first_ordinal);
    free(fresh->ticks);
    free(fresh->ticks_before);
    free(fresh->count);
    free(fresh->gap);
    free(fresh->has_ticks_before);
    free(fresh->copy);
}

static bool fresh_allocate(fresh_t *fresh, uint64_t count)
{
    fresh->buffers = malloc(count * sizeof *fresh->buffers);
    fresh->start = malloc(count * sizeof *fresh->start);
    fresh->first_ordinal = malloc(count * sizeof *fresh->first_ordinal);
    fresh->ticks = malloc(count * sizeof *fresh->ticks);
    fresh->ticks_before = malloc(count * sizeof *fresh->ticks_before);
    fresh->count = malloc(count * sizeof *fresh->count);
    fresh->gap = malloc(count);
    fresh->has_ticks_before = malloc(count);
    return fresh->buffers != NULL && fresh->start != NULL && fresh->first_ordinal != NULL &&
           fresh->ticks != NULL && fresh->ticks_before != NULL && fresh->count != NULL &&
           fresh->gap != NULL && fresh->has_ticks_before != NULL;
}

/* Copy the records of the wanted buffers of a chunk into one array. False without memory. */
static bool gather_records(fresh_t *fresh, const ring_t *ring, const chunk_t *chunk,
                           const uint8_t *wanted)
{
    fresh->copy = malloc(fresh->record_count * TT_RECORD_BYTES + 1u);
    if (fresh->copy == NULL) {
        return false;
    }
    const uint8_t *from = fresh->records;
    uint8_t *to = fresh->copy;
    for (uint32_t i = 0; i < chunk->header.buffer_count; i++) {
        size_t bytes = (size_t)chunk_buffer(ring->place.chunks, chunk, i).count * TT_RECORD_BYTES;
        if (wanted[i] != 0u) {
            memcpy(to, from, bytes);
            to += bytes;
        }
        from += bytes;
    }
    fresh->records = fresh->copy;
    return true;
}

/* Collect buffers with new records; skip empty and repeated ones. False without memory. */
static bool fresh_find(fresh_t *fresh, ring_t *ring, const chunk_t *chunk)
{
    uint32_t count = chunk->header.buffer_count;
    uint8_t *wanted = calloc((size_t)count + 1u, 1);
    if (wanted == NULL || !fresh_allocate(fresh, (uint64_t)count + 1u)) {
        free(wanted);
        return false;
    }
    fresh->records = chunk_records(ring->place.chunks, chunk);
    uint64_t repeated = 0;
    uint64_t end = ring->last.ordinal;
    bool has_end = ring->has_last;
    for (uint32_t i = 0; i < count; i++) {
        tt_wire_buffer_header_t buffer = chunk_buffer(ring->place.chunks, chunk, i);
        if (i == 0u && buffer.count == 0u && !ring->has_last) {
            /* The ring begins with a receipt: records missing after it are a gap. */
            ring->last = receipt_behind(&buffer);
            ring->has_last = has_end = true;
            end = ring->last.ordinal;
        }
        if (buffer.count == 0u) {
            continue;
        }
        if (has_end && buffer.first_ordinal < end) {
            repeated += buffer.count;
            continue;
        }
        wanted[i] = 1;
        end = buffer.first_ordinal + buffer.count;
        has_end = true;
        fresh->buffers[fresh->buffer_count++] = buffer;
        fresh->record_count += buffer.count;
    }
    ring->place.counters->repeated_records += repeated;
    bool is_good = repeated == 0u || gather_records(fresh, ring, chunk, wanted);
    free(wanted);
    return is_good;
}

/* Fill the arrays for the assembler, and mark buffers before which records are missing. */
static void fresh_describe(fresh_t *fresh, const ring_t *ring)
{
    uint64_t end = ring->has_last ? ring->last.ordinal : fresh->buffers[0].first_ordinal;
    uint64_t start = 0;
    for (uint64_t i = 0; i < fresh->buffer_count; i++) {
        const tt_wire_buffer_header_t *buffer = &fresh->buffers[i];
        fresh->start[i] = start;
        start += (uint64_t)buffer->count * TT_RECORD_BYTES;
        fresh->first_ordinal[i] = buffer->first_ordinal;
        fresh->ticks[i] = buffer->ticks;
        fresh->count[i] = buffer->count;
        fresh->gap[i] = buffer->first_ordinal != end || (buffer->flags & LOSS_BEFORE) != 0u;
        end = buffer->first_ordinal + buffer->count;
    }
}

/* Return the gap between the receipt `last` and a buffer. */
static tt_tape_gap_t gap_between(const ring_place_t *place, receipt_t last,
                                 const tt_wire_buffer_header_t *buffer, uint64_t begin_ticks)
{
    receipt_t begin = receipt_at(buffer);
    tt_tape_gap_t gap = {.first_ordinal = last.ordinal,
                         .end_ordinal = begin.ordinal,
                         .begin_ticks = begin_ticks,
                         .end_ticks = buffer->ticks,
                         .epoch = place->epoch,
                         .stream = place->stream,
                         .cpu = place->cpu};
    bool is_known = receipt_leads_to(last, begin);
    if (is_known) {
        gap.dropped = begin.dropped - last.dropped;
        gap.damaged = begin.sent - last.sent;
        gap.overwritten = begin.ordinal - last.ordinal - gap.dropped - gap.damaged;
    }
    gap.is_unknown = !is_known || (buffer->flags & LOSS_BEFORE) != 0u;
    return gap;
}

static bool note_gaps(ring_t *ring, const fresh_t *fresh)
{
    receipt_t last = ring->last;
    bool has_last = ring->has_last;
    for (uint64_t i = 0; i < fresh->buffer_count; i++) {
        if (fresh->gap[i] != 0u && has_last) {
            uint64_t ticks =
                fresh->has_ticks_before[i] != 0u ? fresh->ticks_before[i] : TT_TAPE_NO_TICKS;
            void *gaps = ring->gaps;
            if (!tt_list_grow(&gaps, &ring->gap_room, ring->gap_count, sizeof *ring->gaps)) {
                return false;
            }
            ring->gaps = gaps;
            ring->gaps[ring->gap_count++] =
                (ring_gap_t){.gap = gap_between(&ring->place, last, &fresh->buffers[i], ticks)};
        }
        last = receipt_behind(&fresh->buffers[i]);
        has_last = true;
    }
    ring->last = last;
    ring->has_last = has_last;
    return true;
}

/* Set the rows of the gaps that lie before the first event that the assembler holds back. */
static void place_gaps(ring_t *ring, const tt_found_t *found)
{
    const uint64_t *ordinal = ring->columns.ordinal;
    uint64_t row = 0;
    for (uint64_t i = ring->gap; i < ring->gap_count; i++) {
        ring_gap_t *gap = &ring->gaps[i];
        if (gap->is_ready) {
            gap->row = 0; /* it is before the first event of this chunk */
            continue;
        }
        if (found->held_rows != 0u && gap->gap.end_ordinal > found->held_ordinal) {
            continue;
        }
        while (row < ring->rows && ordinal[row] < gap->gap.end_ordinal) {
            row++;
        }
        gap->is_ready = true;
        gap->row = row;
    }
}

static bool make_room(ring_t *ring, uint64_t rows, uint64_t pairs)
{
    if (ring->columns.header != NULL && rows <= ring->row_room && pairs <= ring->pair_room) {
        return true;
    }
    ring->row_room = rows;
    ring->pair_room = pairs;
    return tt_columns_allocate(&ring->columns, rows, pairs);
}

static void count(const ring_t *ring, const tt_found_t *found)
{
    tt_tape_counters_t *counters = ring->place.counters;
    counters->events += found->rows;
    counters->orphan_records += found->orphans;
    counters->mismatched_events += found->mismatched;
    counters->lost_records += found->lost_records;
    counters->time_faults += found->time_faults;
    counters->incomplete_events += found->incomplete;
}

/* Match events without END with MOVED events; those recorded again are not incomplete. */
static bool note_given_up(const ring_t *ring, const tt_found_t *found)
{
    for (uint64_t i = 0; ring->place.moves != NULL && i < found->incomplete; i++) {
        int met = moves_give_up(ring->place.moves, ring->place.stream, found->given_up[i]);
        if (met < 0) {
            return false;
        }
        ring->place.counters->incomplete_events -= (uint64_t)met;
    }
    return true;
}

/* Match new MOVED events with events without END. */
static bool note_moved(const ring_t *ring)
{
    const tt_columns_t *columns = &ring->columns;
    for (uint64_t row = 0; ring->place.moves != NULL && row < ring->rows; row++) {
        if ((columns->header[row] & (TT_RECORD_CLASS_MASK | TT_RECORD_EVENT_MASK)) == MOVED_CODE) {
            uint64_t identity = (uint64_t)columns->data1[row] << WORD_BITS | columns->data0[row];
            int met = moves_find(ring->place.moves, ring->place.stream, identity);
            if (met < 0) {
                return false;
            }
            ring->place.counters->incomplete_events -= (uint64_t)met;
        }
    }
    return true;
}

static bool assemble(ring_t *ring, const fresh_t *fresh, bool is_last)
{
    tt_chunk_t chunk = {.records = fresh->records,
                        .start = fresh->start,
                        .first_ordinal = fresh->first_ordinal,
                        .ticks = fresh->ticks,
                        .count = fresh->count,
                        .gap = fresh->gap,
                        .ticks_before = fresh->ticks_before,
                        .has_ticks_before = fresh->has_ticks_before,
                        .buffer_count = fresh->buffer_count,
                        .swap = ring->place.is_big_endian,
                        .last = is_last};
    tt_found_t found;
    if (!make_room(ring, fresh->record_count + tt_assembler_kept_rows(ring->assembler),
                   fresh->record_count + tt_assembler_kept_pairs(ring->assembler)) ||
        tt_assemble(ring->assembler, &chunk, &ring->columns, &found) != 0) {
        return false;
    }
    ring->rows = found.rows;
    ring->row = 0;
    count(ring, &found);
    if (!note_gaps(ring, fresh) || !note_given_up(ring, &found) || !note_moved(ring)) {
        return false;
    }
    place_gaps(ring, &found);
    return true;
}

/* Decode the next chunk or, after the last one, the events held back. False without memory. */
static bool next_chunk(ring_t *ring)
{
    fresh_t fresh = {0};
    bool is_good = true;
    bool is_last = ring->chunk == NO_CHUNK;
    if (!is_last) {
        const chunk_t *chunk = &ring->place.chunks->table[ring->chunk];
        ring->chunk = chunk->next;
        is_good = !chunk->is_sound || fresh_find(&fresh, ring, chunk);
    }
    if (is_good && fresh.buffer_count != 0u) {
        ring->place.counters->records += fresh.record_count;
        fresh_describe(&fresh, ring);
    }
    if (is_good && (is_last || fresh.buffer_count != 0u)) {
        is_good = assemble(ring, &fresh, is_last);
    }
    ring->has_ended = is_last;
    fresh_free(&fresh);
    return is_good;
}

int ring_fill(ring_t *ring)
{
    while (ring->row == ring->rows && !ring->has_ended) {
        if (!next_chunk(ring)) {
            return -1;
        }
    }
    return ring->row != ring->rows;
}

bool ring_has_gap(const ring_t *ring)
{
    return ring->gap != ring->gap_count && ring->gaps[ring->gap].is_ready &&
           ring->gaps[ring->gap].row <= ring->row;
}

uint64_t ring_key(const ring_t *ring)
{
    uint64_t time = ring->columns.time[ring->row];
    return time > ring->latest ? time : ring->latest;
}

void ring_take_gap(ring_t *ring, tt_tape_gap_t *gap)
{
    *gap = ring->gaps[ring->gap++].gap;
    if (ring->gap == ring->gap_count) {
        ring->gap = 0;
        ring->gap_count = 0;
    }
}

void ring_take_event(ring_t *ring, tt_tape_event_t *event)
{
    const tt_columns_t *columns = &ring->columns;
    uint64_t row = ring->row;
    uint32_t header = columns->header[row];
    ring->latest = ring_key(ring);
    ring->row++;
    *event = (tt_tape_event_t){
        .ticks = columns->time[row],
        .ordinal = columns->ordinal[row],
        .payload_bytes = columns->payload_bytes[row],
        .words = {columns->data0[row], columns->data1[row]},
        .epoch = ring->place.epoch,
        .event = (uint16_t)(header & TT_RECORD_EVENT_MASK),
        .event_class = (uint8_t)((header & TT_RECORD_CLASS_MASK) >> TT_RECORD_CLASS_FIRST_BIT),
        .stream = ring->place.stream,
        .cpu = (uint8_t)((header & TT_RECORD_CPU_MASK) >> TT_RECORD_CPU_FIRST_BIT),
        .domain = (uint8_t)((header & TT_RECORD_DOMAIN_MASK) >> TT_RECORD_DOMAIN_FIRST_BIT),
        .is_truncated = (header & TT_RECORD_TRUNCATED_MASK) != 0u,
        .is_of_host = (header & TT_RECORD_HOST_MASK) != 0u,
        .is_big_endian = ring->place.is_big_endian};
    if (columns->payload_offset[row] >= 0) {
        event->payload = (const uint8_t *)columns->payload + columns->payload_offset[row];
    }
}
