/* Events of tracks to packets (_native/packets.c): each packet has its stated length. */
#include <stdbool.h>

#include "fuzz.h"
#include "packets.h"

#define EVENTS_MAX 32u

static void check(const uint8_t *packets, uint64_t bytes, uint64_t count)
{
    uint64_t at = 0;
    for (uint64_t i = 0; i < count; i++) {
        FUZZ_CHECK(at + 2u <= bytes && packets[at] == TT_FIELD_PACKET && packets[at + 1u] < 128u);
        at += 2u + packets[at + 1u];
    }
    FUZZ_CHECK(at == bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t input = fuzz_begin(data, size);
    uint64_t count = fuzz_u8(&input) % EVENTS_MAX;
    int64_t *columns[4];
    uint8_t *phase = fuzz_memory(count, 1);
    uint8_t *out = fuzz_memory(count, TT_PACKET_MOST_BYTES);
    for (uint32_t i = 0; i < 4u; i++) {
        columns[i] = fuzz_memory(count, sizeof(int64_t));
    }
    bool known = true;
    for (uint64_t i = 0; i < count; i++) {
        uint8_t wide = fuzz_u8(&input);
        phase[i] = (wide & 0x80u) != 0u ? fuzz_u8(&input) : wide >> 4 & 1u;
        known = known && phase[i] < TT_PHASES;
        for (uint32_t k = 0; k < 4u; k++) {
            uint64_t value = (wide >> k & 1u) != 0u ? fuzz_u64(&input) : fuzz_u8(&input);
            /* Only flows may be negative. */
            columns[k][i] = k == 3u ? (int64_t)value : (int64_t)(value >> 1);
        }
    }
    tt_packet_job_t job = {.count = count,
                           .time_ns = columns[0],
                           .phase = phase,
                           .track = columns[1],
                           .word = columns[2],
                           .flow = columns[3],
                           .out = out};
    int result = tt_packets_fill(&job);
    FUZZ_CHECK((result == 0) == known);
    if (known) {
        check(out, job.written, count);
    }
    for (uint32_t i = 0; i < 4u; i++) {
        free(columns[i]);
    }
    free(phase);
    free(out);
    return 0;
}
