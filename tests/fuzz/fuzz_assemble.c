/*
 * Records to events (_native/assemble.c). Every record is in an event, counted as lost, or waits
 * for its END; payloads lie within their memory; ordinals of a chunk ascend.
 */
#include "events.h"

#define CHUNKS_MAX 6u

static uint64_t check_rows(const fuzz_events_t *events, bool raw_ordinals)
{
    uint64_t records = 0;
    const tt_columns_t *columns = &events->columns;
    for (uint64_t row = 0; row < events->found.rows; row++) {
        int64_t offset = columns->payload_offset[row];
        FUZZ_CHECK(offset >= TT_NO_PAYLOAD);
        FUZZ_CHECK(offset < 0 || (uint64_t)offset + columns->payload_bytes[row] <=
                                     events->found.payload_pairs * sizeof(uint64_t));
        FUZZ_CHECK(raw_ordinals || row == 0u || columns->ordinal[row - 1u] < columns->ordinal[row]);
        records += fuzz_records_of_row(events, row);
    }
    return records;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t input = fuzz_begin(data, size);
    bool swap = (fuzz_u8(&input) & 1u) != 0u;
    tt_assembler_t *assembler = tt_assembler_new();
    uint64_t came = 0;
    uint64_t keys = 0;
    uint64_t found = 0;
    bool last = false;
    for (uint32_t i = 0; !last; i++) {
        fuzz_events_t events;
        last = fuzz_left(&input) < 64u || i + 1u == CHUNKS_MAX;
        fuzz_events_make(&events, assembler, &input, swap, last);
        came += events.record_count;
        keys += events.keyed_count;
        found += check_rows(&events, true) + events.found.lost_records;
        fuzz_events_free(&events);
    }
    /* Rows do not show whether their event had a key, which is one more record. */
    FUZZ_CHECK(came >= found && came <= found + keys);
    tt_assembler_free(assembler);
    return 0;
}
