/*
 * A tape for libtickertape. The first byte of an input selects the CRCs to correct: bit 0 those of
 * headers, bit 1 also those of bodies. The rest is the file.
 *
 * The law of loss holds for every ring modulo 2^64, every record is in an event or counted as lost,
 * and a second reading gives the same.
 */
#include "fuzz.h"
#include "mend.h"
#include "tickertape/tape.h"

#define EVENT_MAX 4096u /* inputs have fewer records */

static void check_law(const tt_tape_balance_t *balance)
{
    uint64_t sum = (uint64_t)balance->delivered + (uint64_t)balance->overwritten +
                   (uint64_t)balance->dropped + (uint64_t)balance->damaged;
    FUZZ_CHECK((uint64_t)balance->offered == sum);
}

static void check_event(const tt_tape_event_t *event)
{
    const volatile uint8_t *bytes = event->payload;
    for (uint32_t i = 0; i < event->payload_bytes; i++) {
        (void)bytes[i];
    }
    uint32_t words = event->payload == NULL ? 2u : event->payload_bytes / 4u;
    FUZZ_CHECK(event->payload != NULL || event->payload_bytes == 0u);
    FUZZ_CHECK(words < 1u || tt_tape_word(event, 0) == event->words[0]);
    FUZZ_CHECK(words < 2u || tt_tape_word(event, 1) == event->words[1]);
    FUZZ_CHECK(tt_tape_word(event, words) == 0u);
}

static tt_tape_counters_t read_all(tt_tape_t *tape)
{
    tt_tape_counters_t counters;
    tt_tape_item_t item;
    uint32_t events = 0;
    int status;
    while ((status = tt_tape_next(tape, &item)) > 0) {
        if (item.kind == TT_TAPE_EVENT) {
            check_event(&item.event);
            FUZZ_CHECK(++events < EVENT_MAX);
        } else {
            FUZZ_CHECK(item.kind == TT_TAPE_GAP);
        }
    }
    FUZZ_CHECK(status == 0);
    FUZZ_CHECK(tt_tape_next(tape, &item) == 0);
    tt_tape_counters(tape, &counters);
    FUZZ_CHECK(counters.events == events);
    FUZZ_CHECK(counters.events + counters.lost_records <= counters.records);
    return counters;
}

static void ask_all(const tt_tape_t *tape)
{
    tt_tape_info_t info;
    tt_tape_boot_t boot;
    tt_tape_ring_t ring;
    tt_tape_balance_t total;
    tt_tape_chunk_t chunk;
    tt_tape_name_t name;
    tt_tape_info(tape, &info);
    for (size_t i = 0; i < tt_tape_boot_count(tape); i++) {
        FUZZ_CHECK(tt_tape_boot(tape, i, &boot) == TT_TAPE_OK);
        (void)tt_tape_name(tape, boot.epoch, 10, 6u << 10u | 32u, &name);
    }
    for (size_t i = 0; i < tt_tape_ring_count(tape); i++) {
        FUZZ_CHECK(tt_tape_ring(tape, i, &ring) == TT_TAPE_OK);
        check_law(&ring.balance);
    }
    for (size_t i = 0; i < info.chunks; i++) {
        FUZZ_CHECK(tt_tape_chunk(tape, i, &chunk) == TT_TAPE_OK);
        FUZZ_CHECK(chunk.is_sound == (chunk.body != NULL));
    }
    FUZZ_CHECK(tt_tape_chunk(tape, info.chunks, &chunk) == TT_TAPE_OUT_OF_RANGE);
    tt_tape_balance(tape, &total);
    check_law(&total);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t flags = size > 0u ? data[0] : 0u;
    size_t file_bytes = size > 0u ? size - 1u : 0u;
    uint8_t *file = fuzz_memory(file_bytes, 1);
    if (file_bytes > 0u) {
        memcpy(file, data + 1, file_bytes);
    }
    if ((flags & 1u) != 0u) {
        mend_tape(file, file_bytes, (flags & 2u) != 0u);
    }
    tt_tape_t *tape;
    if (tt_tape_open(&tape, file, file_bytes) == TT_TAPE_OK) {
        ask_all(tape);
        tt_tape_counters_t first = read_all(tape);
        tt_tape_rewind(tape);
        tt_tape_counters_t second = read_all(tape);
        FUZZ_CHECK(memcmp(&first, &second, sizeof first) == 0);
    }
    tt_tape_close(tape);
    free(file);
    return 0;
}
