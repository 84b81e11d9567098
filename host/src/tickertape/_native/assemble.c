/*
 * Convert the raw records of one ring to columns of events: split headers, compute 64-bit time,
 * assemble combine events. The reference is decode/ring.py; protocol/SPEC.md specifies both.
 */
#include "interface.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "four.h"
#include "open_events.h"
#include "record_parts.h"

/* Payload offset of the row of an event that was given up; the end of a call removes such rows. */
#define DEAD (-2)

/* If the list of open events is longer than this, events that are too old are given up. */
#define LONG_LIST (2u * TT_MAX_COMBINE_RECORDS)

struct tt_assembler {
    tt_open_events_t open;
    tt_columns_t kept; /* rows from the first open event on */
    uint64_t kept_rows;
    uint64_t kept_pairs;
    uint64_t *given_up; /* identities of the events given up by the last call */
    uint64_t given_up_room;
    uint64_t last_ticks;
    bool has_ticks;
};

/* State of one call. */
typedef struct pass {
    tt_assembler_t *self;
    tt_columns_t out;
    tt_found_t *found;
    uint64_t row;   /* next free row */
    uint64_t pairs; /* next free pair of `out.payload` */
    bool any_dead;
    bool no_memory;
} pass_t;

static void count_mismatch(tt_found_t *found, uint64_t records)
{
    found->mismatched++;
    found->lost_records += records;
}

/* Count an event as incomplete. */
static void count_incomplete(pass_t *pass, const tt_open_event_t *event)
{
    tt_assembler_t *self = pass->self;
    void *items = self->given_up;
    if (!tt_list_grow(&items, &self->given_up_room, pass->found->incomplete, sizeof(uint64_t))) {
        pass->no_memory = true;
        return;
    }
    self->given_up = items;
    self->given_up[pass->found->incomplete++] = (uint64_t)event->low << WORD_BITS | event->key;
}

/* Give up `count` open events from index `first` on. */
static void give_up(pass_t *pass, uint64_t first, uint64_t count)
{
    const tt_open_events_t *open = &pass->self->open;
    for (uint64_t i = first; i < first + count; i++) {
        count_incomplete(pass, &open->events[i]);
        pass->found->lost_records += open->events[i].records;
        pass->out.payload_offset[open->events[i].row] = DEAD;
        pass->any_dead = true;
    }
    tt_open_events_remove(&pass->self->open, first, count);
}

/* Give up events that cannot get their END at `ordinal` or later. */
static void give_up_old(pass_t *pass, uint64_t ordinal)
{
    const tt_open_events_t *open = &pass->self->open;
    uint64_t old = 0;
    while (old < open->count && ordinal - open->events[old].ordinal > TT_MAX_COMBINE_RECORDS) {
        old++;
    }
    give_up(pass, 0, old);
}

/* Return the open event with this key and time that may continue at `ordinal`; NULL if there is
 * none. */
static tt_open_event_t *find_open(pass_t *pass, uint32_t key, uint32_t low, uint64_t ordinal)
{
    tt_open_event_t *event = tt_open_events_find(&pass->self->open, key, low);
    if (event != NULL && ordinal - event->ordinal > TT_MAX_COMBINE_RECORDS) {
        give_up_old(pass, ordinal);
        event = NULL;
    }
    return event;
}

/* Add the interrupted event of a BEGIN to the open events; its row is already filled. */
static void open_event(pass_t *pass, const uint8_t *record, uint64_t identity, bool swap)
{
    tt_open_events_t *open = &pass->self->open;
    uint64_t ordinal = pass->out.ordinal[pass->row];
    if (open->count > LONG_LIST) {
        give_up_old(pass, ordinal);
    }
    bool keyed = is_keyed(record, swap);
    tt_open_event_t event = {.key = (uint32_t)identity & KEY_BITS,
                             .low = (uint32_t)(identity >> WORD_BITS),
                             .ordinal = ordinal,
                             .row = pass->row,
                             .records = 1,
                             .begins = 1};
    bool added = tt_open_events_add(open, event) &&
                 (keyed || tt_open_event_append(&open->events[open->count - 1u], pair_of(record)));
    pass->no_memory |= !added;
}

/* Set the row of a keyed event to its second record, because the first one holds the key. */
static void show_without_key(const tt_columns_t *out, uint64_t row, uint64_t pair, bool swap)
{
    uint32_t words[2];
    memcpy(words, &pair, sizeof words);
    out->header[row] &= ~KEYED_BIT;
    out->data0[row] = swap ? __builtin_bswap32(words[0]) : words[0];
    out->data1[row] = swap ? __builtin_bswap32(words[1]) : words[1];
}

static void close_event(pass_t *pass, tt_open_event_t *event, uint32_t bytes, bool swap)
{
    if (event->count != records_for(bytes)) {
        count_mismatch(pass->found, event->records);
        pass->out.payload_offset[event->row] = DEAD;
        pass->any_dead = true;
    } else {
        pass->out.payload_offset[event->row] = (int64_t)(pass->pairs * PAIR_BYTES);
        pass->out.payload_bytes[event->row] = bytes;
        memcpy(pass->out.payload + pass->pairs, event->pairs, event->count * PAIR_BYTES);
        pass->pairs += event->count;
        if ((event->key & KEYED_BIT) != 0u) {
            show_without_key(&pass->out, event->row, event->pairs[0], swap);
        }
    }
    tt_open_events_t *open = &pass->self->open;
    tt_open_events_remove(open, (uint64_t)(event - open->events), 1);
}

/* Count a CONTINUE or END that may belong to several open events with the same key and time. */
static void take_doubtful(pass_t *pass, tt_open_event_t *event, bool is_end)
{
    event->records++;
    event->ends += is_end;
    if (event->ends == event->begins) {
        give_up(pass, (uint64_t)(event - pass->self->open.events), 1);
    }
}

/* Process a CONTINUE or END that is not in a run after its BEGIN. */
static void take_part(pass_t *pass, const uint8_t *record, uint64_t ordinal, bool swap)
{
    uint32_t header = word(record, 0, swap);
    tt_open_event_t *event = find_open(pass, header & KEY_BITS, word(record, 1, swap), ordinal);
    if (event == NULL) {
        pass->found->orphans++;
        pass->found->lost_records++;
        return;
    }
    if (event->begins > 1u) {
        take_doubtful(pass, event, header >= FIRST_END);
        return;
    }
    event->records++;
    if (!tt_open_event_append(event, pair_of(record))) {
        pass->no_memory = true;
    } else if (header >= FIRST_END) {
        close_event(pass, event, word(record, 3, swap), swap);
    }
}

/* Return whether an open event has the key and time of a BEGIN; if so, count both as incomplete. */
static bool is_doubtful(pass_t *pass, uint64_t identity)
{
    if (pass->self->open.count == 0u) {
        return false;
    }
    tt_open_event_t *event =
        find_open(pass, (uint32_t)identity & KEY_BITS, (uint32_t)(identity >> WORD_BITS),
                  pass->out.ordinal[pass->row]);
    if (event == NULL) {
        return false;
    }
    count_incomplete(pass, event);
    event->records++;
    event->begins++;
    return true;
}

/*
 * Process a BEGIN whose row is filled except for the payload. If the records of its event are
 * neighbours, add their payload; else the event stays open. Return the number of records processed.
 */
static inline __attribute__((always_inline)) uint64_t take_begin(pass_t *pass,
                                                                 const uint8_t *record,
                                                                 const uint8_t *end, bool swap)
{
    uint64_t identity = identity_of(record, swap);
    if (is_doubtful(pass, identity)) {
        return 1; /* the next event takes its row */
    }
    uint64_t *pairs = pass->out.payload + pass->pairs;
    uint64_t records = take_run(record, end, swap, pairs);
    if (records == 0u) {
        open_event(pass, record, identity, swap);
        pass->row++;
        return 1;
    }
    uint32_t bytes = word(record + (records - 1u) * RECORD_BYTES, 3, swap);
    uint64_t key_records = is_keyed(record, swap);
    if (records != key_records + records_for(bytes)) {
        count_mismatch(pass->found, records);
        return records;
    }
    if (key_records != 0u) {
        show_without_key(&pass->out, pass->row, pairs[1], swap);
    }
    pass->out.payload_offset[pass->row] = (int64_t)((pass->pairs + key_records) * PAIR_BYTES);
    pass->out.payload_bytes[pass->row] = bytes;
    pass->pairs += records;
    pass->row++;
    return records;
}

/* Fill a row with a record, without payload; `time`: time of the previous record. Return 1, or 0
 * for CONTINUE and END, which have no row. */
static inline unsigned put_row(const tt_columns_t *out, uint64_t row, const uint8_t *record,
                               uint64_t ordinal, uint64_t time, bool swap)
{
    if (word(record, 0, swap) >= FIRST_PART) {
        return 0;
    }
    out->header[row] = word(record, 0, swap);
    out->time[row] = time_behind(time, record, swap);
    out->data0[row] = word(record, 2, swap);
    out->data1[row] = word(record, 3, swap);
    out->ordinal[row] = ordinal;
    out->payload_offset[row] = TT_NO_PAYLOAD;
    out->payload_bytes[row] = 0;
    return 1;
}

/* Process CONTINUE and END records at the start of a buffer, whose BEGINs are in earlier buffers;
 * return their number. */
static uint64_t take_parts(pass_t *pass, const uint8_t *records, uint64_t count, uint64_t ordinal,
                           bool swap)
{
    uint64_t taken = 0;
    while (taken < count && word(records + taken * RECORD_BYTES, 0, swap) >= FIRST_PART) {
        take_part(pass, records + taken * RECORD_BYTES, ordinal + taken, swap);
        taken++;
    }
    return taken;
}

/* Process the records of one buffer; compiled once for each byte order. */
static inline __attribute__((always_inline)) void take_buffer(pass_t *pass, const uint8_t *record,
                                                              uint64_t count, uint64_t ordinal,
                                                              uint64_t ticks, bool swap)
{
    const tt_columns_t out = pass->out;
    const uint8_t *end = record + count * RECORD_BYTES;
    uint64_t parts = take_parts(pass, record, count, ordinal, swap);
    record += parts * RECORD_BYTES;
    ordinal += parts;
    if (record == end) {
        return;
    }
    uint64_t row = pass->row;
    uint64_t time = time_behind(ticks, record, swap);
    pass->found->time_faults += pass->self->has_ticks && time < pass->self->last_ticks;
    while (record != end) {
        unsigned rows = 0;
        if ((uint64_t)(end - record) >= TT_FOUR_BYTES) {
            rows = tt_four_put(&out, row, record, ordinal, time, swap);
        }
        if (rows == 0u && (rows = put_row(&out, row, record, ordinal, time, swap)) == 0u) {
            take_part(pass, record, ordinal++, swap);
            record += RECORD_BYTES;
            continue;
        }
        const uint8_t *last = record + (rows - 1u) * RECORD_BYTES;
        time = time_behind(time, last, swap);
        row += rows;
        ordinal += rows;
        record = last + RECORD_BYTES;
        if (word(last, 0, swap) >= FIRST_COMBINE) {
            pass->row = row - 1u;
            uint64_t records = take_begin(pass, last, end, swap);
            row = pass->row;
            ordinal += records - 1u;
            record = last + records * RECORD_BYTES;
        }
    }
    pass->row = row;
    pass->self->has_ticks = true;
    pass->self->last_ticks = time;
}

/* Process all buffers; return the ordinal after the last record. */
static uint64_t take_buffers(pass_t *pass, const tt_chunk_t *chunk)
{
    uint64_t next = 0;
    for (uint64_t i = 0; i < chunk->buffer_count; i++) {
        uint64_t count = chunk->count[i];
        uint64_t first = chunk->first_ordinal[i];
        const uint8_t *records = chunk->records + chunk->start[i];
        if (chunk->gap[i] != 0u) {
            give_up(pass, 0, pass->self->open.count);
        }
        chunk->has_ticks_before[i] = pass->self->has_ticks;
        chunk->ticks_before[i] = pass->self->last_ticks;
        if (chunk->swap != 0u) {
            take_buffer(pass, records, count, first, chunk->ticks[i], true);
        } else {
            take_buffer(pass, records, count, first, chunk->ticks[i], false);
        }
        next = first + count;
    }
    return next;
}

/* Copy the kept rows to the begin of the columns. */
static void restore(pass_t *pass)
{
    const tt_assembler_t *self = pass->self;
    for (uint64_t i = 0; i < self->kept_rows; i++) {
        tt_columns_copy_row(&pass->out, i, &self->kept, i);
        pass->any_dead |= self->kept.payload_offset[i] == DEAD;
    }
    if (self->kept_pairs != 0u) {
        memcpy(pass->out.payload, self->kept.payload, self->kept_pairs * PAIR_BYTES);
    }
    pass->row = self->kept_rows;
    pass->pairs = self->kept_pairs;
}

/* Keep the rows from `cut` on, with their payloads, for the next call. */
static bool keep_from(pass_t *pass, uint64_t cut)
{
    tt_assembler_t *self = pass->self;
    const tt_columns_t *out = &pass->out;
    uint64_t rows = pass->row - cut;
    uint64_t all_pairs = 0;
    for (uint64_t row = cut; row < pass->row; row++) {
        bool has = out->payload_offset[row] >= 0;
        all_pairs += has ? records_for(out->payload_bytes[row]) : 0u;
    }
    self->kept_rows = 0;
    if (rows != 0u && !tt_columns_allocate(&self->kept, rows, all_pairs)) {
        return false;
    }
    self->kept_rows = rows;
    self->kept_pairs = 0;
    for (uint64_t i = 0; i < rows; i++) {
        tt_columns_copy_row(&self->kept, i, out, cut + i);
        int64_t offset = out->payload_offset[cut + i];
        if (offset >= 0) {
            uint64_t pairs = records_for(out->payload_bytes[cut + i]);
            self->kept.payload_offset[i] = (int64_t)(self->kept_pairs * PAIR_BYTES);
            memcpy(self->kept.payload + self->kept_pairs,
                   out->payload + (uint64_t)offset / PAIR_BYTES, pairs * PAIR_BYTES);
            self->kept_pairs += pairs;
        }
    }
    for (uint64_t i = 0; i < self->open.count; i++) {
        self->open.events[i].row -= cut;
    }
    return true;
}

/* Remove the dead rows before `cut`; return the number of remaining rows. */
static uint64_t without_dead(const tt_columns_t *out, uint64_t cut)
{
    uint64_t alive = 0;
    for (uint64_t row = 0; row < cut; row++) {
        if (out->payload_offset[row] != DEAD) {
            tt_columns_copy_row(out, alive++, out, row);
        }
    }
    return alive;
}

int tt_assemble(tt_assembler_t *assembler, const tt_chunk_t *chunk, const tt_columns_t *columns,
                tt_found_t *found)
{
    memset(found, 0, sizeof *found);
    pass_t pass = {.self = assembler, .out = *columns, .found = found};
    restore(&pass);
    uint64_t next = take_buffers(&pass, chunk);
    if (chunk->last != 0u) {
        give_up(&pass, 0, assembler->open.count);
    } else if (chunk->buffer_count != 0u) {
        give_up_old(&pass, next);
    }
    uint64_t cut = pass.row;
    if (assembler->open.count != 0u) {
        cut = assembler->open.events[0].row;
        found->held_rows = pass.row - cut;
        found->held_ordinal = columns->ordinal[cut];
    }
    if (pass.no_memory || !keep_from(&pass, cut)) {
        return -1;
    }
    found->rows = pass.any_dead ? without_dead(columns, cut) : cut;
    found->payload_pairs = pass.pairs;
    found->given_up = assembler->given_up;
    return 0;
}

tt_assembler_t *tt_assembler_new(void)
{
    return calloc(1, sizeof(tt_assembler_t));
}

void tt_assembler_free(tt_assembler_t *assembler)
{
    if (assembler != NULL) {
        tt_open_events_clear(&assembler->open);
        tt_columns_free(&assembler->kept);
        free(assembler->given_up);
        free(assembler);
    }
}

uint64_t tt_assembler_kept_rows(const tt_assembler_t *assembler)
{
    return assembler->kept_rows;
}

uint64_t tt_assembler_kept_pairs(const tt_assembler_t *assembler)
{
    uint64_t pairs = assembler->kept_pairs;
    for (uint64_t i = 0; i < assembler->open.count; i++) {
        pairs += assembler->open.events[i].count;
    }
    return pairs;
}
