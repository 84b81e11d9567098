#include "events.h"

#define RECORD_BYTES 16u
#define STRUCT_END   3u

/* Make a record. `raw`: the next 16 bytes of the input. Otherwise, so that short inputs have many
 * records, two bytes define struct, type and a small time step, two more the words. */
static void make_record(fuzz_input_t *input, uint8_t *record, uint32_t *time, bool raw)
{
    if (raw) {
        fuzz_copy(input, record, RECORD_BYTES);
        return;
    }
    uint32_t code = fuzz_u16(input);
    uint32_t words[4];
    *time += code >> 2 & 3u;
    words[0] = (code & 3u) << 30 | (code >> 4 & 1u) << 24 | (code >> 5 & 1u) << 21 |
               (code >> 6 & 1u) << 15 | (code >> 7 & 31u) << 10 | (code >> 12 & 15u);
    words[1] = *time;
    words[2] = fuzz_u8(input);
    words[3] = fuzz_u8(input);
    memcpy(record, words, sizeof words);
}

static bool is_keyed_begin(const uint8_t *record, bool swap)
{
    uint32_t header;
    memcpy(&header, record, sizeof header);
    header = swap ? __builtin_bswap32(header) : header;
    return header >> 30 == 1u && (header >> 15 & 1u) != 0u;
}

static void make_buffers(tt_chunk_t *chunk, fuzz_input_t *input, uint64_t *record_count)
{
    uint64_t buffers = 1u + fuzz_u8(input) % FUZZ_BUFFERS_MAX;
    uint64_t *start = fuzz_memory(buffers, sizeof *start);
    uint64_t *first = fuzz_memory(buffers, sizeof *first);
    uint64_t *ticks = fuzz_memory(buffers, sizeof *ticks);
    uint32_t *count = fuzz_memory(buffers, sizeof *count);
    uint8_t *gap = fuzz_memory(buffers, 1);
    *record_count = 0;
    for (uint64_t i = 0; i < buffers; i++) {
        uint8_t flags = fuzz_u8(input);
        count[i] = fuzz_u8(input) % (FUZZ_RECORDS_MAX + 1u);
        gap[i] = flags & 1u;
        start[i] = *record_count * RECORD_BYTES;
        first[i] = (flags & 2u) != 0u ? fuzz_u64(input) >> 1 : *record_count;
        ticks[i] = (flags & 4u) != 0u ? fuzz_u64(input) : fuzz_u16(input);
        *record_count += count[i];
    }
    *chunk = (tt_chunk_t){.start = start,
                          .first_ordinal = first,
                          .ticks = ticks,
                          .count = count,
                          .gap = gap,
                          .ticks_before = fuzz_memory(buffers, sizeof(uint64_t)),
                          .has_ticks_before = fuzz_memory(buffers, 1),
                          .buffer_count = buffers};
}

static void make_columns(tt_columns_t *columns, uint64_t rows, uint64_t pairs)
{
    *columns = (tt_columns_t){
        .header = fuzz_memory(rows, sizeof(uint32_t)),
        .time = fuzz_memory(rows, sizeof(uint64_t)),
        .data0 = fuzz_memory(rows, sizeof(uint32_t)),
        .data1 = fuzz_memory(rows, sizeof(uint32_t)),
        .ordinal = fuzz_memory(rows, sizeof(uint64_t)),
        .payload_offset = fuzz_memory(rows, sizeof(int64_t)),
        .payload_bytes = fuzz_memory(rows, sizeof(uint32_t)),
        .payload = fuzz_memory(pairs, sizeof(uint64_t)),
    };
}

void fuzz_events_make(fuzz_events_t *events, tt_assembler_t *assembler, fuzz_input_t *input,
                      bool swap, bool last)
{
    bool raw = (fuzz_u8(input) & 1u) != 0u;
    uint32_t time = 0;
    events->keyed_count = 0;
    make_buffers(&events->chunk, input, &events->record_count);
    uint8_t *records = fuzz_memory(events->record_count, RECORD_BYTES);
    for (uint64_t i = 0; i < events->record_count; i++) {
        make_record(input, records + i * RECORD_BYTES, &time, raw);
        events->keyed_count += is_keyed_begin(records + i * RECORD_BYTES, swap);
    }
    events->chunk.records = records;
    events->chunk.swap = swap;
    events->chunk.last = last;
    make_columns(&events->columns, events->record_count + tt_assembler_kept_rows(assembler),
                 events->record_count + tt_assembler_kept_pairs(assembler));
    FUZZ_CHECK(tt_assemble(assembler, &events->chunk, &events->columns, &events->found) == 0);
}

void fuzz_events_free(fuzz_events_t *events)
{
    const tt_chunk_t *chunk = &events->chunk;
    free((void *)(uintptr_t)chunk->records);
    free((void *)(uintptr_t)chunk->start);
    free((void *)(uintptr_t)chunk->first_ordinal);
    free((void *)(uintptr_t)chunk->ticks);
    free((void *)(uintptr_t)chunk->count);
    free((void *)(uintptr_t)chunk->gap);
    free(chunk->ticks_before);
    free(chunk->has_ticks_before);
    tt_columns_free(&events->columns);
}

uint64_t fuzz_records_of_row(const fuzz_events_t *events, uint64_t row)
{
    if (events->columns.payload_offset[row] < 0) {
        return 1;
    }
    uint64_t words = ((uint64_t)events->columns.payload_bytes[row] + 3u) / 4u;
    uint64_t records = (words + 2u) / 2u;
    return records < 2u ? 2u : records;
}
